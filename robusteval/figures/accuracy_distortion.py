"""Accuracy of every model against the distortion that makes it err, with the log-linear law."""

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from robusteval.figures._frames import check_frame, order
from robusteval.figures._style import GREY, SMALL, Mark, grid_shape, house, marks, text_width

PANEL = ["attack", "condition", "goal", "norm", "statistic"]
LINES = {  # columns <name>_a, _b and _r_squared: what the line is, colour and dashes
    "all": ("law, all models", "#a50f15", "-"),
    "frontier": ("law, Pareto frontier", "#000000", (0, (4, 2))),
}
FITS = [f"{name}_{number}" for name in LINES for number in ("a", "b", "r_squared")]
RING: dict[str, Any] = {  # around the mark of a model on the frontier
    "ls": "",
    "marker": "o",
    "markersize": 7,
    "markerfacecolor": "none",
    "markeredgecolor": GREY,
    "markeredgewidth": 0.6,
}
NORMS = {"l0": "L0", "l1": "L1", "l2": "L2", "linf": "L-infinity"}
NORMS |= {"l2_per_pixel": "L2 per pixel", "l2_per_value": "L2 per value"}


@house
def accuracy_distortion(frame: pd.DataFrame) -> Figure:
    """Return a panel for each attack setting and norm: a mark a model, and the fitted laws.

    ``frame`` has one row for each ``attack``, ``condition``, ``goal``, ``norm``, ``statistic`` and
    ``model``, with ``accuracy_pct``, ``distortion``, ``on_frontier`` and ``status``; and, the same
    in all rows of a panel, a, b and R squared of distortion = a + b ln(1 - accuracy) of all models
    (``all_a``, ``all_b``, ``all_r_squared``) and of those on the Pareto frontier (``frontier_a``
    and so on), NaN where there is no fit.

    Raises:
        ValueError: a column is missing, there are no rows, or a model has a panel's point twice.
    """
    key = [*PANEL, "model"]
    columns = [*key, "accuracy_pct", "distortion", "on_frontier", *FITS, "status"]
    check_frame(frame, columns, key)
    models = order(frame, "model")
    panels = list(frame.groupby(PANEL, sort=False, dropna=False))
    most = next(most for most, up_to in ((2, 4), (3, 12), (4, math.inf)) if len(panels) <= up_to)
    rows, across = grid_shape(len(panels), most)
    legend = max(1, int(6.6 / (text_width(models + [t for t, _, _ in LINES.values()]) + 0.4)))
    lines = -(-(len(models) + len(LINES) + 1) // legend)
    width, high = {2: (3.3, 2.8), 3: (2.3, 2.1), 4: (1.8, 1.35)}[most]
    size = (max(4.4, across * width), rows * high + lines * 0.14 + 0.3)
    figure = Figure(figsize=size, layout="constrained")
    grid = list(figure.subplots(rows, across, squeeze=False, sharex=True).flat)
    drawing = marks(models)
    ok = frame.loc[frame["status"] == "ok", "accuracy_pct"]
    left, right = (ok.min(), ok.max()) if len(ok) else (0.0, 100.0)
    room = max(1.0, 0.05 * (right - left))
    left, right = left - room, right + room
    for axes in grid[len(panels) :]:
        axes.remove()
    for i, (axes, (name, part)) in enumerate(zip(grid, panels, strict=False)):
        _panel(axes, dict(zip(PANEL, name, strict=True)), part, drawing)
        lowest = i + across >= len(panels)
        axes.set_xlim(left, right)
        axes.set_xticks(_ticks(left, right, 6 - most))
        axes.tick_params(labelbottom=lowest)
        axes.set_xlabel("clean accuracy, %" if lowest else "")
    statistics = "; ".join(order(frame, "statistic"))
    figure.supylabel(f"distortion, pixel scale 0 to 1 ({statistics})", fontsize=7)
    handles = [_handle(mark, model) for model, mark in drawing.items()]
    handles += [Line2D([], [], color=c, ls=s, label=text) for text, c, s in LINES.values()]
    handles += [Line2D([], [], **RING, label="on the Pareto frontier")]
    figure.legend(handles=handles, loc="outside lower center", ncols=legend)
    return figure


def _panel(axes: Axes, name: dict[str, Any], part: pd.DataFrame, drawing: dict[str, Mark]) -> None:
    ok = part[part["status"] == "ok"]
    points = ok.set_index("model")[["accuracy_pct", "distortion", "on_frontier"]]
    for model, (accuracy, distortion, member) in points.astype(float).iterrows():
        if member == 1:
            axes.plot(accuracy, distortion, **RING, zorder=2)
        mark = drawing[str(model)]
        axes.plot(
            accuracy,
            distortion,
            mark.marker,
            color=mark.colour,
            markersize=3.5,
            markeredgewidth=0.4,
            markeredgecolor="white",
            zorder=3,
        )
    notes = []
    for line, (_, colour, dashes) in LINES.items():
        a, b, r_squared = (float(part[f"{line}_{x}"].iloc[0]) for x in ("a", "b", "r_squared"))
        fitted = ok if line == "all" else ok[ok["on_frontier"].astype(bool)]
        if len(fitted) > 1 and not math.isnan(b):
            x = np.linspace(fitted["accuracy_pct"].min(), fitted["accuracy_pct"].max(), 50)
            axes.plot(x, a + b * np.log(1 - x / 100), color=colour, ls=dashes, lw=0.8, zorder=1)
        if not math.isnan(r_squared):
            notes.append(f"{'' if line == 'all' else 'frontier '}{r_squared:.2f}")
    texts = [f"R² = {', '.join(notes)}" if notes else "no fit"]
    broken = [str(model) for model in part.loc[part["status"] != "ok", "model"]]
    if broken:
        texts.append(f"n/a: {broken[0] if len(broken) == 1 else f'{len(broken)} models'}")
    condition = "" if pd.isna(name["condition"]) else str(name["condition"])
    title = [str(name["attack"]), condition]
    if name["goal"] != "untargeted" and str(name["goal"]) not in condition:
        title.append(f"target: {name['goal']}")
    axes.set_title("\n".join(t for t in title if t), loc="left", pad=3 + 8 * len(texts))
    axes.annotate(
        "\n".join(texts),
        (0, 1),
        (0, 3),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=SMALL,
        color=GREY,
    )
    norm = NORMS.get(str(name["norm"]), str(name["norm"]))
    axes.set_ylabel(norm)
    heights = [float(np.max(np.asarray(line.get_ydata(), float))) for line in axes.lines]
    top = 1.08 * max(heights, default=0.0) or 1.0
    axes.set_ylim(0, top)
    # Plain numbers: a common factor would be written over the title.
    axes.set_yticks(_ticks(0, top, 4), labels=[f"{tick:g}" for tick in _ticks(0, top, 4)])
    axes.grid()


def _ticks(low: float, high: float, most: int) -> list[float]:
    """Return round numbers from ``low`` to ``high``, about ``most``."""
    ticks = MaxNLocator(most, steps=[1, 2, 5, 10]).tick_values(low, high)
    return [float(f"{tick:.6g}") for tick in ticks if low <= tick <= high]


def _handle(mark: Mark, model: str) -> Line2D:
    return Line2D([], [], color=mark.colour, marker=mark.marker, ls="", markersize=3.5, label=model)
