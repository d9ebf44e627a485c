"""One page of a model: a radar over the groups of metrics, and the raw numbers beside it."""

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.projections.polar import PolarAxes

from robusteval.figures._frames import check_frame, order
from robusteval.figures._style import COLOURS, GREY, SMALL, WIDTH, house

UNIFIED = "unified_0_to_1_higher_better"
LINE = 0.135  # inches between two numbers
ARROWS = {"higher is better": "↑", "lower is better": "↓"}
REASON = 46  # letters of a reason that a line has room for


@house
def framework_page(frame: pd.DataFrame, model: str) -> Figure:
    """Return the page of ``model``: what it has in each group, other models pale behind it.

    ``frame`` has one row for each ``model`` and ``metric`` with its ``group``, ``n``, ``value``,
    ``value_is``, ``unified_0_to_1_higher_better`` and ``status``. A group's spoke is the mean of
    its metrics that have a number from 0 to 1; it is left open where the model lacks one that
    another has, since a mean of other metrics cannot be held against it. Arrows at the raw numbers
    say which direction is better.

    Raises:
        ValueError: a column is missing, there are no rows, or a metric stands there twice.
    """
    columns = ["model", "group", "metric", "n", "value", "value_is", UNIFIED, "status"]
    check_frame(frame, columns, ["model", "group", "metric"])
    means = _means(frame)
    own = frame[frame["model"] == model]
    lines = len(own) + own["group"].nunique()
    figure = Figure(figsize=(WIDTH, max(3.6, LINE * lines + 0.5)))
    radar = figure.add_axes((0.09, 0.2, 0.36, 0.6), polar=True)
    assert isinstance(radar, PolarAxes)
    _draw_radar(radar, means, model)
    figure.text(0.02, 0.985, model, fontsize=9, fontweight="bold", va="top")
    figure.text(
        0.02, 0.945, "from 0 to 1, larger is better; other models pale", color=GREY, va="top"
    )
    figure.text(0.27, 0.03, "groups of metrics", color=GREY, ha="center")
    numbers = figure.add_axes((0.56, 0.02, 0.43, 0.95))
    numbers.spines[:].set_visible(False)
    numbers.set_xticks([])
    numbers.set_yticks([])
    numbers.set_ylim(lines, -0.5)
    numbers.set_xlim(0, 1)
    _write_numbers(numbers, own)
    return figure


def _means(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the mean of each model (row) in each group (column) that has numbers; else NaN."""
    of_group = frame.groupby(["model", "group"])[UNIFIED]
    means, counts = (found.unstack() for found in (of_group.mean(), of_group.count()))
    means = means.where(counts == counts.max())
    groups = [group for group in order(frame, "group") if counts[group].max()]
    return means.reindex(index=order(frame, "model"), columns=groups)


def _draw_radar(axes: PolarAxes, means: pd.DataFrame, model: str) -> None:
    """Draw each model's groups as a closed line, open where one has no number."""
    groups = list(means.columns)
    angles = [2 * math.pi * i / len(groups) for i in range(len(groups))]
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.set_ylim(0, 1)
    axes.set_yticks([0.25, 0.5, 0.75, 1.0], labels=["", "0.5", "", "1"])
    axes.set_xticks(angles, labels=[g.replace(" ", "\n") for g in groups])
    axes.set_rlabel_position(180 / len(groups))
    axes.tick_params(axis="y", labelsize=SMALL, labelcolor=GREY)
    axes.tick_params(axis="x", pad=4)
    axes.grid(linewidth=0.4, color="#d9d9d9")
    axes.spines["polar"].set_visible(False)
    for name, row in means.iterrows():
        values = row.to_numpy(np.float64)
        closed, around = [*values, values[0]], [*angles, angles[0]]
        if name == model:
            continue
        axes.plot(around, closed, color="#cfcfcf", linewidth=0.7, zorder=2)
    if model in means.index:
        own = means.loc[[model]].to_numpy(np.float64)[0]
        axes.plot(
            [*angles, angles[0]],
            [*own, own[0]],
            color=COLOURS[0],
            marker="o",
            markersize=3,
            linewidth=1.4,
            zorder=3,
            clip_on=False,
        )
        if not np.isnan(own).any():
            axes.fill(angles, own, color=COLOURS[0], alpha=0.12, zorder=1)


def _write_numbers(axes: Axes, own: pd.DataFrame) -> None:
    """Write a line a metric below the name of its group."""
    for place, head, side in (
        (0.6, "raw", "right"),
        (0.66, "n", "left"),
        (0.97, "0 to 1", "right"),
    ):
        axes.text(place, 0, head, color=GREY, ha=side, va="center_baseline")
    line = 0
    for group, rows in own.groupby("group", sort=False):
        axes.text(0, line, str(group), fontweight="bold", va="center_baseline")
        line += 1
        for row in rows.to_dict("records"):
            axes.text(0.03, line, str(row["metric"]), va="center_baseline")
            if np.isnan(row["value"]):
                reason = str(row["status"])
                text = reason if len(reason) <= REASON else f"{reason[: REASON - 1]}…"
                axes.text(
                    0.36, line, f"n/a: {text}", color=GREY, fontsize=SMALL, va="center_baseline"
                )
            else:
                arrow = ARROWS.get(str(row["value_is"]), "")
                number = row["value"]
                shown = f"{number:,.0f} {arrow}" if number >= 1000 else f"{number:.3g} {arrow}"
                axes.text(0.6, line, shown, ha="right", va="center_baseline")
                axes.text(0.66, line, f"{int(row['n']):,}", color=GREY, va="center_baseline")
                scale = "-" if np.isnan(row[UNIFIED]) else f"{row[UNIFIED]:.2f}"
                axes.text(0.97, line, scale, ha="right", va="center_baseline")
            line += 1
