"""The ranking of the models under each kind of data: lines that cross where the order changes."""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from robusteval.figures._frames import check_frame, images_text, order, wide
from robusteval.figures._style import GREY, SMALL, WIDTH, house, marks, text_width

RANK = "rank_1_is_best"
TAU = "kendall_tau_b_1_same_order"
LINE = 0.19  # inches between two ranks
STUB = 0.16  # of a column, between a name and its point


@house
def kind_ranking(
    frame: pd.DataFrame, agreement: Mapping[tuple[str, str], float] | None = None
) -> Figure:
    """Return a column for each kind of data with the models in their order, and a line a model.

    ``frame`` has one row for each ``model`` and ``kind``, with ``n``, ``rank_1_is_best`` and
    ``status``; models of equal value share a rank. ``agreement`` gives Kendall's tau by two kinds,
    written between the columns where they stand side by side.

    Raises:
        ValueError: a column is missing, there are no rows, or a model has a kind twice.
    """
    check_frame(frame, ["model", "kind", "n", RANK, "status"], ["model", "kind"])
    models, kinds = order(frame, "model"), order(frame, "kind")
    ranks = wide(frame, RANK, rows="model", columns="kind")
    missing = _missing(ranks)
    height = LINE * (len(models) + 1) + 0.75 + 0.12 * len(missing)
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.subplots()
    for (model, row), mark in zip(ranks.iterrows(), marks(models).values(), strict=True):
        axes.plot(
            range(len(kinds)),
            row.to_numpy(),
            marker=mark.marker,
            color=mark.colour,
            markersize=4.5,
            markeredgewidth=0.4,
            markeredgecolor="white",
            label=str(model),
            clip_on=False,
        )
    _name(axes, ranks[kinds[0]], 0, -1)
    _name(axes, ranks[kinds[-1]], len(kinds) - 1, 1)
    rows = {str(kind): images_text(part) for kind, part in frame.groupby("kind", sort=False)}
    labels = [f"{kind}\n{'over all' if kind == 'mean' else rows[kind]}" for kind in kinds]
    axes.set_xticks(range(len(kinds)), labels=labels)
    axes.set_yticks([])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_ylim(len(models) + 0.5, 0.2)
    room = text_width(models) / ((WIDTH - 2 * text_width(models)) / max(1, len(kinds) - 1))
    axes.set_xlim(-room - STUB - 0.05, len(kinds) - 1 + room + STUB + 0.05)
    for column, pair in enumerate(pairwise(kinds)):
        if agreement and np.isfinite(tau := agreement.get(pair, float("nan"))):
            axes.text(column + 0.5, 0.35, f"tau {tau:.2f}", ha="center", fontsize=SMALL, color=GREY)
    axes.set_xlabel("\n".join(["rank by DAR, best on top", *missing]))
    return figure


def _name(axes: Axes, ranks: pd.Series, column: int, side: int) -> None:
    """Write the models' names beside a column, in order; those of one rank below each other."""
    ordered = ranks.dropna().sort_values(kind="stable")
    for place, (model, rank) in enumerate(ordered.items(), start=1):
        axes.plot([column, column + side * STUB], [rank, place], color="#bdbdbd", lw=0.5, zorder=1)
        axes.text(
            column + side * (STUB + 0.04),
            place,
            str(model),
            ha="right" if side < 0 else "left",
            va="center",
            fontsize=6.5,
        )


def _missing(ranks: pd.DataFrame) -> list[str]:
    """Return a line for each set of models that some kinds (columns of ``ranks``) lack."""
    kinds: dict[tuple[str, ...], list[str]] = {}
    for kind in ranks:
        if absent := tuple(ranks.index[ranks[kind].isna()]):
            kinds.setdefault(absent, []).append(str(kind))
    return [
        f"n/a under {'all kinds' if len(own) == len(ranks.columns) else ', '.join(own)}: "
        + (", ".join(absent) if len(absent) <= 3 else f"{len(absent)} models")
        for absent, own in kinds.items()
    ]
