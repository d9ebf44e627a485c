"""How confident every model is on each kind of data, and where it starts to accept."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from robusteval.figures._frames import check_frame, order
from robusteval.figures._style import COLOURS, GREY, house, panels

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
    ``count`` and the model's ``threshold``, all on the scale that ``label`` names. A kind with no
    rows or no counts for a model is listed in its panel as n/a.

    Raises:
        ValueError: a column is missing, there are no rows, a bin stands there twice, bins leave
            gaps, or a model has two thresholds.
    """
    key = ["model", "kind", "bin_low"]
    check_frame(frame, [*key, "bin_high", "count", "threshold"], key)
    models, kinds = order(frame, "model"), order(frame, "kind")
    spare = (colour for colour in COLOURS if colour not in KINDS.values())
    colours = {kind: KINDS.get(kind) or next(spare, GREY) for kind in kinds}
    columns = 3 if len(models) <= 6 else 4
    figure, grid = panels(len(models), columns=columns, size=(7.2 / columns, 1.5), below=0.5)
    for i, (axes, model) in enumerate(zip(grid, models, strict=True)):
        draw_panel(axes, frame[frame["model"].astype(str) == model], colours)
        axes.set_title(model)
        axes.set_xlim(frame["bin_low"].min(), frame["bin_high"].max())
        if i % columns == 0:
            axes.set_ylabel("density")
    figure.supxlabel(label, fontsize=7)
    entries = [Line2D([], [], color=colour, label=kind) for kind, colour in colours.items()]
    entries.append(Line2D([], [], color=GREY, ls="--", label="threshold: accepted from here on"))
    figure.legend(handles=entries, loc="outside upper center", ncols=len(entries))
    return figure


def draw_panel(axes: Axes, rows: pd.DataFrame, colours: dict[str, str]) -> None:
    """Draw the densities of one model's ``rows`` and its threshold."""
    missing = []
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
        axes.stairs(counts / counts.sum() / np.diff(edges), edges, color=colour)
    thresholds = rows["threshold"].dropna().unique()
    if len(thresholds) > 1:
        raise ValueError(f"thresholds {thresholds.tolist()} for one model: expected one")
    for threshold in thresholds:
        axes.axvline(threshold, color=GREY, ls="--", lw=0.8)
    axes.set_ylim(bottom=0)
    if missing:
        axes.text(
            0.03,
            0.95,
            "\n".join(f"{kind} n/a" for kind in missing),
            va="top",
            fontsize=5.5,
            color=GREY,
            transform=axes.transAxes,
        )
