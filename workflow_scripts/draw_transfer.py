"""Draw transfer matrices with the white-box diagonal outlined."""

import pandas as pd

from robusteval.figures._style import save
from robusteval.figures.transfer_matrices import transfer_matrices
from workflow_scripts.tabulate_transfer import BOTH


def draw_transfer(table: str, paths: list[str]) -> None:
    """Draw the pairs on the images that both models got right before the attack."""
    frame = pd.read_csv(table)
    both = frame[frame["population"] == BOTH]
    save(transfer_matrices(both), paths)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_transfer(snakemake.input.table, list(snakemake.output))
