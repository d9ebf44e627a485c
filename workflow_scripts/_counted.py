"""The passes that a finished study counted, for holding an estimate against them."""

from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from workflow_scripts.write_manifest import files_in


def counted(folder: Path) -> dict[str, tuple[int, int]]:
    """Return forward and backward passes by part, of a study in ``folder``.

    Cells, transfer and storage make a forward pass a row. Trainings are not counted.
    """
    rows = {
        part: sum(pq.read_metadata(path).num_rows for path in _files(folder, *kinds))
        for part, kinds in {
            "cells": ("records", "sequences"),
            "transfer": ("transfer",),
            "storage": ("storage",),
        }.items()
    }
    attacks = [_costs(path) for path in _files(folder, "adversarial")]
    probes = [_costs(path) for path in _files(folder, "probes")]
    return {
        **{part: (n, 0) for part, n in rows.items()},
        "attacks": (sum(f for f, _ in attacks), sum(b for _, b in attacks)),
        "probes": (sum(f for f, _ in probes), sum(b for _, b in probes)),
    }


def _files(folder: Path, *kinds: str) -> list[Path]:
    paths = [path for kind in kinds for path in files_in(folder / kind)]
    return [path for path in paths if path.suffix == ".parquet"]


def _costs(path: Path) -> tuple[int, int]:
    """Return the passes in a file; rows of one image that differ by norm or side share them."""
    frame = pd.read_parquet(path)
    if {"norm", "sides"} & {*frame}:
        frame = frame.drop_duplicates(["condition", "image_id"])
    names = ("forwards", "backwards")
    forwards, backwards = (int(frame[n].sum()) if n in frame else 0 for n in names)
    return forwards, backwards
