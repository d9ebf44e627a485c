"""Draw confidence histograms with the threshold."""

from pathlib import Path

import pandas as pd

from robusteval.figures._style import save
from robusteval.figures.confidence_histograms import confidence_histograms


def draw_confidence(table: str, paths: list[str]) -> None:
    """Draw a table and write the figure to every path."""
    save(confidence_histograms(pd.read_csv(table)), [Path(path) for path in paths])


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_confidence(snakemake.input.table, list(snakemake.output))
