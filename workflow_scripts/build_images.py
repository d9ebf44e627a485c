"""Build an image set from its raw files."""

import logging
from pathlib import Path
from typing import Any

import numpy as np

from robusteval import plugins
from robusteval.files import read_json, sha256
from robusteval.images._image_set import index_of, write_image_set

log = logging.getLogger(__name__)


def build_images(entry: dict[str, Any], receipt: Path, folder: Path) -> None:
    """Write the part of a source that the catalogue's ``entry`` names.

    Raises:
        ValueError: a raw file changed since it was fetched, or holds something else than the
            catalogue says.
    """
    raw = read_json(receipt)
    for name, expected in raw["sha256"].items():
        path = Path(raw["raw"]) / name
        if not path.is_file() or sha256(path) != expected:
            raise ValueError(
                f"{path}: missing or damaged, its SHA-256 is not {expected}; delete {receipt} and "
                f"run again to fetch it anew"
            )
    images, labels = plugins.load("images.sources", entry["source"])(raw["raw"], entry["part"])
    expected_shape = (entry["count"], *entry["shape"])
    if images.shape != expected_shape or labels.max() >= len(entry["classes"]):
        raise ValueError(
            f"{raw['raw']}: images of shape {images.shape} and labels up to {labels.max()}; "
            f"{expected_shape} and {len(entry['classes'])} classes expected"
        )
    index = index_of(np.arange(len(images)), labels, "clean")
    write_image_set(folder, images, index, **entry)
    log.info("%s: %d images", folder, len(images))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        build_images(
            snakemake.params.entry,
            Path(snakemake.input.receipt),
            Path(snakemake.output.card).parent,
        )
