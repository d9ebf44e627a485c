"""Check that no image of the unknown sets of a study is among its known ones."""

import logging
from pathlib import Path

import pandas as pd

from robusteval.files import write_json
from robusteval.images._overlap import shared_image

log = logging.getLogger(__name__)


def check_novel(known: list[Path], novel: list[Path], path: Path) -> None:
    """Write how many images of the manifests ``novel`` were looked for in those of ``known``.

    A manifest stands in the folder of its image set.

    Raises:
        ValueError: an image is in both.
    """
    contents = {manifest.parent.name: _contents(manifest) for manifest in [*known, *novel]}
    for there in known:
        for here in novel:
            pair = shared_image(contents[there.parent.name], contents[here.parent.name])
            if pair is not None:
                raise ValueError(
                    f"{here.parent.name}: {pair[1]} is {pair[0]} of {there.parent.name}, so it is "
                    f"known; take it out, or leave the set out of the tests"
                )
    counts = {name: len(names) for name, names in contents.items()}
    log.info("images: %s", counts)
    write_json(
        path,
        {
            "known": [manifest.parent.name for manifest in known],
            "novel": [manifest.parent.name for manifest in novel],
            "images": counts,
            "shared": 0,
        },
    )


def _contents(manifest: Path) -> dict[str, str]:
    """Return the hash of each image's content by its name."""
    frame = pd.read_parquet(manifest, columns=["path", "sha256"])
    return dict(zip(frame["path"], frame["sha256"], strict=True))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        check_novel(
            [Path(path) for path in snakemake.input.known],
            [Path(path) for path in snakemake.input.novel],
            Path(snakemake.output.report),
        )
