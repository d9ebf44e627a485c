"""Dot plots of percentages: a band for each group, in it one dot a model, one below the other."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from robusteval.figures import _style

LINE = 0.115  # inches between the dots of two models
GAP = 0.10  # inches between two bands


def dot_figure(groups: int, models: list[str]) -> tuple[Figure, Axes]:
    """Return a figure high enough for ``groups`` bands and the models' legend, and its axes."""
    bands = groups * (LINE * len(models) + GAP)
    legend = 0.14 * len(models) + 0.2
    figure = Figure(figsize=(_style.WIDTH, max(bands, legend, 1.0) + 0.55), layout="constrained")
    axes = figure.subplots()
    figure.legend(
        handles=_style.handles(_style.marks(models)),
        loc="outside right upper",
        title="model",
        alignment="left",
    )
    return figure, axes


def draw_dots(
    axes: Axes,
    values: pd.DataFrame,
    *,
    low: pd.DataFrame | None = None,
    high: pd.DataFrame | None = None,
) -> None:
    """Draw ``values``, groups x models in percent, with intervals ``low`` to ``high`` if given.

    Groups and models go from top to bottom in the table's order. NaN is written out as n/a.
    """
    models = [str(model) for model in values.columns]
    band = LINE * len(models) + GAP
    for g in range(0, len(values), 2):
        axes.axhspan(g - 0.5, g + 0.5, color=_style.PALE, lw=0, zorder=0)
    for m, (model, mark) in enumerate(_style.marks(models).items()):
        offset = (m - (len(models) - 1) / 2) * LINE / band
        for g, value in enumerate(values[model]):
            y = g + offset
            if pd.isna(value):
                axes.text(1, y, "n/a", color=mark.colour, fontsize=5, va="center_baseline")
                continue
            if low is not None and high is not None:
                ends = [low[model].iloc[g], high[model].iloc[g]]
                axes.plot(ends, [y, y], color=mark.colour, lw=1, zorder=2, clip_on=False)
            axes.plot(
                value,
                y,
                mark.marker,
                color=mark.colour,
                markersize=3.2,
                markeredgewidth=0.4,
                markeredgecolor="white",
                zorder=3,
                clip_on=False,
                label=model,
            )
    axes.set_xlim(0, 100)
    axes.set_ylim(len(values) - 0.5, -0.5)
    axes.set_yticks(range(len(values)), labels=[str(group) for group in values.index])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
