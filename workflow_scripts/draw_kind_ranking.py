"""Draw the ranking of the models under each kind of data."""

import pandas as pd

from robusteval.figures._style import nothing_to_draw, save
from robusteval.figures.kind_ranking import TAU, kind_ranking


def draw_kind_ranking(ranks: str, agreement: str, paths: list[str]) -> None:
    """Draw the tables and write the figure to every path; one model has no order to draw."""
    frame, pairs = pd.read_csv(ranks), pd.read_csv(agreement)
    if frame["model"].nunique() < 2:
        save(nothing_to_draw("one model has no rank among others"), paths)
        return
    taus = {(row["kind"], row["other_kind"]): row[TAU] for row in pairs.to_dict("records")}
    save(kind_ranking(frame, taus), paths)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_kind_ranking(snakemake.input.ranks, snakemake.input.agreement, list(snakemake.output))
