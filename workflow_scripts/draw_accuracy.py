"""Draw accuracy per test with intervals."""

import pandas as pd

from robusteval.figures._style import save
from robusteval.figures.accuracy_by_test import accuracy_by_test


def draw_accuracy(table: str, paths: list[str]) -> None:
    """Draw a table and write the figure to every path."""
    save(accuracy_by_test(pd.read_csv(table)), paths)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_accuracy(snakemake.input.table, list(snakemake.output))
