"""Draw accuracy on shifted images against that on ImageNet, with the line over all models."""

import pandas as pd

from robusteval.figures._style import save
from robusteval.figures.effective_robustness import effective_robustness


def draw_effective_robustness(table: str, paths: list[str]) -> None:
    """Draw a table and write the figure to every path."""
    save(effective_robustness(pd.read_csv(table)), paths)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_effective_robustness(snakemake.input.table, list(snakemake.output))
