"""Draw the transfer matrices of one attack: wrong answers, or targets among the first five."""

import pandas as pd

from robusteval.figures._style import save
from robusteval.figures.transfer_matrices import VALUE, transfer_matrices
from workflow_scripts._goals import UNTARGETED
from workflow_scripts._populations import BOTH
from workflow_scripts.tabulate_transfer import TOP

WRONG = "wrong at the target"
FIRST = {5: "target class in the first five", 1: "target class first"}


def draw_attack_transfer(table: str, attack: str, paths: list[str]) -> None:
    """Draw an attack's pairs of models on the images that both got right before.

    Untargeted conditions show the wrong answers, targeted ones the targets among the first five
    classes, or the first one where five say nothing.
    """
    frame = pd.read_csv(table)
    frame = frame[(frame["attack"] == attack) & (frame["population"] == BOTH)]
    aimed = frame["goal"] != UNTARGETED
    known = aimed & (frame["status"] == "ok")
    k = 5 if frame.loc[known, TOP[5]].notna().any() or not known.any() else 1
    shown = frame.assign(**{VALUE: frame[VALUE].where(~aimed, frame[TOP[k]])})
    names = [name for name, some in ((WRONG, ~aimed), (FIRST[k], aimed)) if some.any()]
    save(transfer_matrices(shown, rate=" or, with a target,\n".join(names)), paths)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_attack_transfer(
            snakemake.input.table, snakemake.wildcards.attack, list(snakemake.output)
        )
