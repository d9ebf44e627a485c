"""Dot plots of percentages: one panel a group, one line a model, the number at its right."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from robusteval.figures import _style

LINE = 0.125  # inches between two models
ROW = 5.7  # inches that the panels of a row share


def draw_dots(
    values: pd.DataFrame,
    notes: Mapping[str, str],
    label: str,
    *,
    most: int,
    low: pd.DataFrame | None = None,
    high: pd.DataFrame | None = None,
) -> Figure:
    """Return a figure of ``values``, groups x models in percent, with intervals if given.

    Groups and models keep the table's order, at most ``most`` groups a row. ``notes`` says by
    group what stands small below its title, ``label`` what the numbers are. NaN is written out as
    n/a, on a hatched line.
    """
    models = [str(model) for model in values.columns]
    figure, grid = _style.panels(
        len(values),
        most=most,
        size=(ROW / most, LINE * len(models) + 0.4),
        labels=models,
        around=0.45,
        xlabel=label,
    )
    colours = _style.marks(models).values()
    numbers = values.to_numpy(float)
    ends = None if low is None or high is None else np.stack([low.to_numpy(), high.to_numpy()])
    for g, (axes, group) in enumerate(zip(grid, values.index, strict=True)):
        for m, mark in enumerate(colours):
            value = float(numbers[g, m])
            if np.isnan(value):
                draw_gap(axes, m)
                continue
            if ends is not None:
                axes.hlines(m, *ends[:, g, m], color=mark.colour, lw=1.2, zorder=2, clip_on=False)
            axes.plot(
                value,
                m,
                mark.marker,
                color=mark.colour,
                markersize=3.5,
                markeredgewidth=0.4,
                markeredgecolor="white",
                zorder=3,
                clip_on=False,
            )
            write(axes, m, f"{value:.1f}", "black")
        axes.set_xlim(0, 100)
        axes.set_ylim(len(models) - 0.5, -0.5)
        axes.set_yticks(range(len(models)), labels=models)
        axes.tick_params(axis="y", length=0)
        axes.grid(axis="x")
        axes.set_title(str(group), loc="left", pad=11)
        axes.annotate(
            notes.get(str(group), ""),
            (0, 1),
            (0, 3),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=_style.SMALL,
            color=_style.GREY,
        )
    return figure


def write(axes: Axes, line: int, text: str, colour: str) -> None:
    """Write ``text`` right of a line."""
    axes.annotate(
        text,
        (1, line),
        (4, 0),
        xycoords=axes.get_yaxis_transform(),
        textcoords="offset points",
        fontsize=_style.SMALL,
        color=colour,
        va="center_baseline",
    )


def draw_gap(axes: Axes, line: int) -> None:
    """Mark a line on which there is nothing to draw."""
    axes.add_patch(
        Rectangle((0, line - 0.25), 100, 0.5, fc="none", ec="#bdbdbd", hatch="////", lw=0, zorder=1)
    )
    write(axes, line, "n/a", _style.GREY)
