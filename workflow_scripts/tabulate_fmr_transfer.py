"""Tabulate how often each model is right about the images searched against each other."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from robusteval.metrics.perturbed_accuracy import perturbed_accuracy
from robusteval.records import OK, Records, read_records
from workflow_scripts._fmr import right
from workflow_scripts._tables import percent, rate_with_interval, right_images, write_table

VALUE = "pa_pct_higher_better"
BEFORE = "accuracy_on_originals_of_valid_pct"
COLUMNS = ["test", "condition", "source", "target", "resized", "n", VALUE]
COLUMNS += ["wilson95_low_pct", "wilson95_high_pct", BEFORE, "pa_over_accuracy_pct", "status"]


def rows(target: str, records: Records, clean: Records) -> Iterator[dict[str, Any]]:
    """Yield a row for each test, condition and source, over the images that are valid there.

    ``clean`` is what the target says about the originals.
    """
    before = right_images(clean) if clean.status == OK else set()
    missing = records.settings["missing"]
    for name, status in missing.items():
        source, test = name.split(".")
        yield {"test": test, "source": source, "target": target, "n": 0, "status": status}
    if records.status != OK or clean.status != OK:
        status = records.status if records.status != OK else clean.status
        yield {"target": target, "n": 0, "status": status}
        return
    keys = ["search", "condition", "source"]
    for (test, condition, source), part in records.frame.groupby(keys, sort=False):
        row = {"test": test, "condition": condition, "source": source, "target": target}
        row |= {"resized": records.settings["resized"][source], "status": OK}
        valid = part["valid"].to_numpy(np.bool_)
        n = int(valid.sum())
        if not n:
            yield {**row, "n": 0, "status": "no valid image"}
            continue
        rate = perturbed_accuracy(right(part), valid)
        own = float(part.loc[valid, "image_id"].isin(before).mean())
        row |= {"n": n, **rate_with_interval(rate, n, VALUE), BEFORE: percent(own)}
        if own:
            row["pa_over_accuracy_pct"] = percent(rate / own)
        yield row


def tabulate_fmr_transfer(transfers: list[str], clean: list[str], path: str) -> None:
    """Write the table."""
    before = {Path(file).parent.name: file for file in clean}
    found: list[dict[str, Any]] = []
    for file in map(Path, transfers):
        found += rows(file.stem, read_records(file), read_records(before[file.stem]))
    frame = pd.DataFrame(found, columns=COLUMNS)
    ordered = frame.sort_values(["test", "condition"], kind="stable")
    write_table(
        path, ordered.astype(object).where(ordered.notna(), None).to_dict("records"), COLUMNS
    )


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_fmr_transfer(
            list(snakemake.input.transfers), list(snakemake.input.clean), snakemake.output.table
        )
