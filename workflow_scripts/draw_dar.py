"""Draw DAR by kind of data."""

from pathlib import Path

import pandas as pd

from robusteval.figures._style import save
from robusteval.figures.dar_by_kind import dar_by_kind


def draw_dar(table: str, paths: list[str]) -> None:
    """Draw a table and write the figure to every path."""
    save(dar_by_kind(pd.read_csv(table)), [Path(path) for path in paths])


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_dar(snakemake.input.table, list(snakemake.output))
