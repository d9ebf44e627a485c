"""Draw one page for each model: a radar over the groups of metrics, the raw numbers beside."""

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from robusteval.figures._style import save
from robusteval.figures.framework_page import framework_page


def draw_framework(table: str, paths: Iterable[str]) -> None:
    """Draw the page of each model into the files of its name."""
    frame = pd.read_csv(table)
    by_model: dict[str, list[str]] = {}
    for path in paths:
        by_model.setdefault(Path(path).stem, []).append(path)
    for model, files in by_model.items():
        save(framework_page(frame, model), files)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_framework(snakemake.input.table, list(snakemake.output))
