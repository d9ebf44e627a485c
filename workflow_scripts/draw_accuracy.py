"""Draw accuracy per test with intervals."""

import pandas as pd

from robusteval.figures._style import save
from robusteval.figures.accuracy_by_test import accuracy_by_test


def draw_accuracy(table: str, searches: list[str], paths: list[str]) -> None:
    """Draw a table and write the figure to every path.

    Attacks that look for the smallest distortion are left out: they go on until the model is wrong.
    """
    frame = pd.read_csv(table)
    without_limit = frame["test"].str.partition(", ")[0].isin(searches)
    save(accuracy_by_test(frame[~without_limit]), paths)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_accuracy(snakemake.input.table, snakemake.params.searches, list(snakemake.output))
