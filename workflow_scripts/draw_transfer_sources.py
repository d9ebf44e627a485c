"""Draw how widely the images made against each model transfer."""

import pandas as pd

from robusteval.figures._style import nothing_to_draw, save
from robusteval.figures.transfer_sources import transfer_sources
from workflow_scripts._goals import UNTARGETED
from workflow_scripts._populations import BOTH

KEY = ["attack", "condition", "goal"]
ORDER = ("target in top 5", "target in top 1", "wrong")


def draw_transfer_sources(table: str, paths: list[str]) -> None:
    """Draw mean transfer on the images that source and target got right before.

    Untargeted attacks show the wrong answers, targeted ones the targets among the first five
    classes, or the first where five say nothing.
    """
    frame = pd.read_csv(table)
    frame = frame[frame["population"] == BOTH]
    parts = []
    for key, part in frame.groupby(KEY, sort=False):
        rates = set(part["rate"])
        wanted = "wrong" if key[2] == UNTARGETED else next(r for r in ORDER if r in rates)
        parts.append(part[part["rate"] == wanted])
    if not parts:
        save(nothing_to_draw("a single model has nothing to transfer to"), paths)
        return
    save(transfer_sources(pd.concat(parts)), paths)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_transfer_sources(snakemake.input.table, list(snakemake.output))
