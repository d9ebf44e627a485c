"""How confident every model is on each kind of data, and from where on it accepts."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator, StrMethodFormatter

from robusteval.figures._frames import check_frame, order
from robusteval.figures._style import (
    COLOURS,
    GREY,
    SMALL,
    WIDTH,
    house,
    panels,
    text_width,
    wrapped,
)

DEPTH = 3000  # how far below the highest density the scale goes
# One colour a kind in every panel, whatever kinds a study has.
KINDS = {
    "clean": "#000000",
    "corrupt": COLOURS[0],
    "adversarial": COLOURS[1],
    "novel": COLOURS[2],
    "unrecognisable": COLOURS[3],
}


@house
def confidence_histograms(
    frame: pd.DataFrame, *, label: str = "confidence (maximum softmax probability)"
) -> Figure:
    """Return one panel a model with a density for each kind of data and the threshold.

    ``frame`` has one row for each ``model``, ``kind`` and bin, with ``bin_low``, ``bin_high``,
    ``count`` and the model's ``threshold``, from which on its predictions are accepted, all on the
    scale that ``label`` names. A kind with no rows or no counts for a model is listed in its panel
    as n/a.

    Raises:
        ValueError: a column is missing, there are no rows, a bin stands there twice, bins leave
            gaps, or a model has two thresholds.
    """
    key = ["model", "kind", "bin_low"]
    check_frame(frame, [*key, "bin_high", "count", "threshold"], key)
    models, kinds = order(frame, "model"), order(frame, "kind")
    spare = (colour for colour in COLOURS if colour not in KINDS.values())
    colours = {kind: KINDS.get(kind) or next(spare, GREY) for kind in kinds}
    most = 3 if len(models) <= 6 else 4
    figure, grid = panels(
        len(models), most=most, size=(WIDTH / most, 1.3), around=0.5, ylabel="density (log scale)"
    )
    peaks = []
    for axes, model in zip(grid, models, strict=True):
        peaks.append(draw_panel(axes, frame[frame["model"].astype(str) == model], colours))
        axes.set_title(wrapped(model, WIDTH / most))
        axes.set_xlim(frame["bin_low"].min(), frame["bin_high"].max())
    # A logarithmic scale, since nearly all clean images crowd into the last bin.
    grid[0].set_yscale("log")
    grid[0].set_ylim(max(peaks) / DEPTH, max(peaks) * 1.5)
    grid[0].yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    grid[0].yaxis.set_minor_locator(NullLocator())
    figure.supxlabel(label, fontsize=7)
    entries = [Line2D([], [], color=colour, label=kind) for kind, colour in colours.items()]
    entries.append(Line2D([], [], color=GREY, ls="--", label="threshold"))
    length = sum(text_width([str(entry.get_label())]) + 0.5 for entry in entries)  # inches
    lines = int(np.ceil(length / figure.get_size_inches()[0]))
    figure.legend(handles=entries, loc="outside upper center", ncols=-(-len(entries) // lines))
    return figure


def draw_panel(axes: Axes, rows: pd.DataFrame, colours: dict[str, str]) -> float:
    """Draw the densities of one model's ``rows`` and its threshold; return the highest density."""
    missing, peak = [], 1.0
    for kind, colour in colours.items():
        bins = rows[rows["kind"].astype(str) == kind].sort_values("bin_low")
        counts = bins["count"].to_numpy(float)
        if not counts.sum() > 0:  # no rows, no images, or NaN
            missing.append(kind)
            continue
        low, high = bins["bin_low"].to_numpy(float), bins["bin_high"].to_numpy(float)
        if not np.allclose(low[1:], high[:-1], rtol=0, atol=1e-9 * (high[-1] - low[0])):
            raise ValueError(f"bins of {kind} leave gaps: expected each to start where one ends")
        edges = np.append(low, high[-1])
        density = counts / counts.sum() / np.diff(edges)
        axes.stairs(density, edges, baseline=None, color=colour)
        peak = max(peak, float(density.max()))
    thresholds = rows["threshold"].dropna().astype(float).unique()
    if len(thresholds) > 1:
        raise ValueError(f"thresholds {thresholds.tolist()} for one model: expected one")
    for threshold in thresholds[np.isfinite(thresholds)]:
        axes.axvline(threshold, color=GREY, ls="--", lw=0.8)
    axes.text(
        0.03,
        0.97,
        "\n".join(f"{kind} n/a" for kind in missing),
        va="top",
        fontsize=SMALL,
        color=GREY,
        transform=axes.transAxes,
    )
    return peak
