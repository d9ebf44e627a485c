"""Draw mean and spread of DAR over the seeds of a method."""

import pandas as pd

from robusteval.figures._style import save
from robusteval.figures.seed_spread import seed_spread


def draw_dar_by_method(table: str, paths: list[str]) -> None:
    """Draw a table and write the figure to every path."""
    save(seed_spread(pd.read_csv(table)), paths)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_dar_by_method(snakemake.input.table, list(snakemake.output))
