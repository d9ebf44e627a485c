"""Draw transfer matrices with the white-box diagonal outlined."""

import pandas as pd

from robusteval.figures._style import nothing_to_draw, save
from robusteval.figures.transfer_matrices import transfer_matrices
from workflow_scripts._goals import UNTARGETED
from workflow_scripts._populations import BOTH


def draw_transfer(table: str, paths: list[str]) -> None:
    """Draw how often the target is wrong, on the images that both models got right before.

    Targeted attacks are drawn attack by attack (draw_attack_transfer).
    """
    frame = pd.read_csv(table)
    both = frame[(frame["population"] == BOTH) & (frame["goal"] == UNTARGETED)]
    if both.empty:
        save(nothing_to_draw("every attack of this study has a target"), paths)
        return
    save(transfer_matrices(both), paths)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_transfer(snakemake.input.table, list(snakemake.output))
