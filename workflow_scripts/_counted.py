"""The passes that a finished study counted, for holding an estimate against them."""

from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
from safetensors import safe_open

from robusteval.files import read_json
from workflow_scripts.write_manifest import files_in


def counted(folder: Path) -> dict[str, tuple[int, int]]:
    """Return forward and backward passes by part, of a study in ``folder``.

    Cells, transfer and storage make a forward pass a row. No record counts the parts that
    `workflow_scripts._study_costs.UNCOUNTED` names.
    """
    rows = {
        part: sum(pq.read_metadata(path).num_rows for path in _files(folder, *kinds))
        for part, kinds in {
            "cells": ("records", "sequences"),
            "transfer": ("transfer", "transfer_searched"),
            "storage": ("storage",),
        }.items()
    }
    rows["features"] = sum(map(_fitted_on, folder.glob("features/*/training.safetensors")))
    rows["coverage"] = sum(pd.read_parquet(p)["n"].sum() for p in _files(folder, "coverage"))
    rows["coverage"] += sum(read_json(p)["n"] for p in folder.glob("neurons/*/card.json"))
    passes = {
        "attacks": [_costs(path) for path in _files(folder, "adversarial")],
        "probes": [_costs(path) for path in _files(folder, "probes")],
        "searches": [_searched(path) for path in folder.glob("searched/*/*/records.parquet")],
    }
    return {
        **{part: (int(n), 0) for part, n in rows.items()},
        **{part: (sum(f for f, _ in p), sum(b for _, b in p)) for part, p in passes.items()},
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


def _searched(path: Path) -> tuple[int, int]:
    """Return the passes of the searched model: a verdict a row, and the tries before it.

    From the last image that a search tried it took no step.
    """
    tries = pd.read_parquet(path, columns=["tries"])["tries"]
    return len(tries) + int(tries.sum()), int((tries - 1).clip(lower=0).sum())


def _fitted_on(path: Path) -> int:
    """Return how many training images a model's features are those of."""
    with safe_open(path, "pt") as file:
        names = file.keys()
        return len(file.get_tensor("labels")) if "labels" in names else 0
