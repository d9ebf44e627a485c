"""List the images of a user's folder: read, hash and decode every one."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from robusteval.files import replacing, sha256, write_json
from robusteval.images._content import OK, Found, Source, found
from robusteval.images._listing import Listing
from robusteval.images._source import class_ids, listing_of, subset_of
from robusteval.progress import Progress
from robusteval.workers import enough, in_order

log = logging.getLogger(__name__)

BLOCK = 64  # images a task of a worker


def list_images(entry: dict[str, Any], manifest: Path, card: Path, workers: int) -> None:
    """Write the manifest of the source that the catalogue's ``entry`` names, and its card.

    The manifest has a row an image, in the listing's order: ``image_id`` from 0, ``path``,
    ``label``, ``sha256`` of the content, ``width``, ``height`` and ``mode`` of the picture, and
    ``status``, "ok" or what is wrong with it. The card counts, and lists what is skipped.

    Raises:
        ValueError: the source is not as the entry promises, or an image cannot be read and the
            entry does not say ``on_unreadable: skip``.
    """
    on_unreadable = entry.get("on_unreadable", "error")
    if on_unreadable not in ("error", "skip"):
        raise ValueError(f"on_unreadable: {on_unreadable!r}: one of error, skip expected")
    listing = listing_of(entry)
    log.info("%s: %s images listed", entry["folder"], f"{len(listing.names):,}")
    frame = _frame(listing, _look(listing, entry.get("orientation", "apply"), workers))
    unknown = frame.loc[frame["label"] < 0, "path"]
    if "classes" in entry and entry.get("others") != "unknown" and len(unknown):
        raise ValueError(
            f"{entry['folder']}: {unknown.iloc[0]} has the label -1 ({len(unknown):,} images in "
            f"all), but the set has classes; label it, or say `others: unknown`"
        )
    bad = frame[frame["status"] != OK]
    if len(bad) and (on_unreadable == "error" or len(bad) == len(frame)):
        reason = bad["status"].iloc[0]
        raise ValueError(
            f"{entry['folder']}: {reason}; {len(bad):,} of {len(frame):,} images cannot be read, "
            f"this is the first; replace them, or say `on_unreadable: skip`"
        )
    for reason in bad["status"]:
        log.warning("skipped: %s", reason)
    with replacing(manifest) as temporary:
        frame.to_parquet(temporary, index=False)
    write_json(card, _card(entry, frame, bad) | {"sha256": {manifest.name: sha256(manifest)}})


def _look(listing: Listing, orientation: str, workers: int) -> list[Found]:
    source = Source(listing.read, listing.names, orientation)
    count = len(listing.names)
    blocks = [range(i, min(i + BLOCK, count)) for i in range(0, count, BLOCK)]
    progress = Progress(count, "images")
    looked: list[Found] = []
    for block in in_order(found, source, blocks, workers=enough(len(blocks), workers)):
        looked += block
        progress(len(block))
    return looked


def _frame(listing: Listing, looked: list[Found]) -> pd.DataFrame:
    frame = pd.DataFrame(looked, columns=list(Found._fields))
    frame.insert(0, "image_id", np.arange(len(frame)))
    frame.insert(1, "path", listing.names)
    frame.insert(2, "label", listing.labels)
    return frame.astype(
        {"image_id": "int64", "label": "int64", "width": "int64", "height": "int64"}
    )


def _card(entry: dict[str, Any], frame: pd.DataFrame, bad: pd.DataFrame) -> dict[str, Any]:
    good = frame[frame["status"] == OK]
    counts = good.loc[good["label"] >= 0, "label"].value_counts()
    return {
        "entry": entry,
        "layout": entry["layout"],
        "on_unreadable": entry.get("on_unreadable", "error"),
        "orientation": entry.get("orientation", "apply"),
        "classes": class_ids(entry),
        "subset": subset_of(entry),
        "count": len(good),
        "unknown": int((good["label"] == -1).sum()),
        "images_a_class": [int(counts.min()), int(counts.max())] if len(counts) else None,
        "classes_with_images": len(counts),
        "same_content_as_another": int(good["sha256"].duplicated().sum()),
        "skipped": len(bad),
        "skipped_files": [
            {"path": path, "reason": reason}
            for path, reason in zip(bad["path"], bad["status"], strict=True)
        ],
    }


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        list_images(
            snakemake.params.entry,
            Path(snakemake.output.manifest),
            Path(snakemake.output.card),
            snakemake.threads,
        )
