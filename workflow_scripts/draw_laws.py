"""Draw accuracy against distortion with the fitted laws, on each model's own images."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from robusteval.figures._style import nothing_to_draw, save
from robusteval.figures.accuracy_distortion import accuracy_distortion
from workflow_scripts._law_points import MEAN, POINT, SCORE
from workflow_scripts._populations import SOURCE
from workflow_scripts.tabulate_laws import ALL, FRONTIER, NUMBERS

LINES = {"all": ALL, "frontier": FRONTIER}
SMALLEST = {"ifgsm_search": ("linf",), "cw_l2": ("l2",), "ead": ("l1",)}
SMALLEST |= {"clever": ("linf", "l2")}
"""The norm that an attack keeps small, or that CLEVER is drawn for; others have a budget."""


def draw_laws(
    points: str, laws: str, population: str, norms: Mapping[str, Sequence[str]], paths: list[str]
) -> None:
    """Draw a panel for each condition of an attack in ``norms`` and each norm that it names.

    Means of successes or scores, on the images of ``population``. An attack of a fixed budget has
    nothing to show here: its distortion is the budget.
    """
    shown = _chosen(pd.read_csv(points), population, norms)
    if shown.empty:
        save(nothing_to_draw("no attack of this study looks for the smallest distortion"), paths)
        return
    fits = _chosen(pd.read_csv(laws), population, norms)
    for line, models in LINES.items():
        own = fits[fits["models"] == models].rename(columns={n: f"{line}_{n}" for n in NUMBERS})
        columns = [*POINT, *(f"{line}_{n}" for n in NUMBERS)]
        shown = shown.merge(own[columns], on=POINT, how="left", validate="many_to_one")
    save(accuracy_distortion(shown), paths)


def norms_of(attacks: Mapping[str, str]) -> dict[str, Sequence[str]]:
    """Return the norms to draw of each of ``attacks`` and probes (id: file)."""
    return {attack: SMALLEST[file] for attack, file in attacks.items() if file in SMALLEST}


def _chosen(
    frame: pd.DataFrame, population: str, norms: Mapping[str, Sequence[str]]
) -> pd.DataFrame:
    rows = (frame["population"] == population) & frame["statistic"].isin((MEAN, SCORE))
    pairs = {(attack, norm) for attack, own in norms.items() for norm in own}
    named = [pair in pairs for pair in zip(frame["attack"], frame["norm"], strict=True)]
    return frame[rows & np.array(named, bool)]


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_laws(
            snakemake.input.points,
            snakemake.input.laws,
            SOURCE,
            norms_of(snakemake.params.attacks),
            list(snakemake.output),
        )
