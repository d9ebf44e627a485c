"""Draw errors by corruption and severity as a heat map per model."""

import pandas as pd

from robusteval.figures._style import save
from robusteval.figures.corruption_heatmap import corruption_heatmap


def draw_corruption_error(table: str, paths: list[str]) -> None:
    """Draw a table and write the figure to every path."""
    save(corruption_heatmap(pd.read_csv(table)), paths)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_corruption_error(snakemake.input.table, list(snakemake.output))
