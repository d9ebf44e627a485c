"""Matrices of percentages: coloured cells with their numbers, hatched where there is none."""

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from robusteval.figures import _style

PERCENT = Normalize(0, 100)
HATCH = "////"
LEAST_TEXT = 3.5  # points; smaller numbers are left out


def colours() -> Colormap:
    """Return the colours of 0 to 100: pale to dark, also when printed grey or seen colour-blind."""
    return matplotlib.colormaps["YlGnBu"]


def draw_cells(axes: Axes, table: pd.DataFrame) -> list[Text]:
    """Draw ``table`` in percent, its first row on top, and return its numbers, not visible yet."""
    values = np.ma.masked_invalid(table.to_numpy(float))
    cmap = colours()
    axes.pcolormesh(values, cmap=cmap, norm=PERCENT, edgecolors="white", linewidth=0.4)
    axes.set_xlim(0, len(table.columns))
    axes.set_ylim(len(table.index), 0)
    axes.set_xticks(np.arange(len(table.columns)) + 0.5, labels=list(table.columns))
    axes.set_yticks(np.arange(len(table.index)) + 0.5, labels=list(table.index))
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    texts = []
    for (row, column), value in np.ndenumerate(table.to_numpy(float)):
        dark = False
        if np.isnan(value):
            blank = Rectangle((column, row), 1, 1, fc="white", ec="#cccccc", hatch=HATCH, lw=0)
            axes.add_patch(blank)
        else:
            red, green, blue, _ = cmap(PERCENT(value))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
        text = axes.text(
            column + 0.5,
            row + 0.5,
            "n/a" if np.isnan(value) else f"{value:.0f}",
            color="white" if dark else "black",
            ha="center",
            va="center_baseline",
            visible=False,  # until the layout is settled: the cell decides how big its number is
        )
        texts.append(text)
    return texts


def fit_numbers(figure: Figure, drawn: list[tuple[Axes, list[Text]]]) -> None:
    """Settle the layout, then print all numbers at one size that fits the smallest cell.

    Where that is too small to read, the numbers are left out and the colours speak alone.
    """
    _style.settle(figure)
    points = 72 / figure.dpi
    size = _style.SMALL
    for axes, _ in drawn:
        box = axes.get_window_extent()
        rows, columns = abs(np.subtract(*axes.get_ylim())), abs(np.subtract(*axes.get_xlim()))
        # "100" is 1.95 em wide, and a line 1.2 em high leaves air above and below.
        size = min(size, box.width * points / columns / 2.2, box.height * points / rows / 1.2)
    for _, texts in drawn:
        for text in texts:
            text.set_fontsize(size)
            text.set_visible(size >= LEAST_TEXT)


def colour_bar(figure: Figure, axes: list[Axes], label: str) -> None:
    """Add above all ``axes`` the colour scale that they share."""
    width, height = figure.get_size_inches()
    bar = figure.colorbar(
        ScalarMappable(PERCENT, colours()),
        ax=axes,
        label=label,
        location="top",
        aspect=25,
        fraction=0.1 / height,
        pad=0.12 / height,
        shrink=min(1.0, 2.5 / width),
    )
    bar.outline.set_visible(False)
