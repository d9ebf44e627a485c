"""Draw DAR by kind of data."""

import pandas as pd

from robusteval.figures._style import save
from robusteval.figures.dar_by_kind import dar_by_kind


def draw_dar(table: str, paths: list[str]) -> None:
    """Draw a table and write the figure to every path."""
    save(dar_by_kind(pd.read_csv(table)), paths)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_dar(snakemake.input.table, list(snakemake.output))
