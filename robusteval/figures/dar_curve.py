"""DAR of known against DAR of unknown images as the threshold moves, a curve a model."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from robusteval.figures._frames import check_frame, order
from robusteval.figures._style import GREY, MARKERS, SMALL, Mark, house, marks, text_width

KNOWN = "dar_pct_known_higher_better"
UNKNOWN = "dar_pct_unknown_higher_better"
# After seven colours the marker changes, and with it the line.
DASHES: dict[str, Any] = dict(
    zip(MARKERS, ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3))), strict=True)
)
SIZE = 3.6  # inches, of the square that both scales share


@house
def dar_curve(frame: pd.DataFrame) -> Figure:
    """Return one curve a model, from accepting all images to rejecting all, and its own threshold.

    ``frame`` has one row for each ``model`` and ``threshold``, with ``of_study`` ("yes" at the
    study's own threshold), ``dar_pct_known_higher_better``, ``dar_pct_unknown_higher_better`` and
    ``status``.

    Raises:
        ValueError: a column is missing, there are no rows, or a model has a threshold twice.
    """
    key = ["model", "threshold"]
    check_frame(frame, [*key, "of_study", KNOWN, UNKNOWN, "status"], key)
    models = order(frame, "model")
    drawing = marks(models)
    lines = -(-(len(models) + 1) // _across(models))
    figure = Figure(figsize=(SIZE + 1.0, SIZE + 0.5 + 0.14 * lines), layout="constrained")
    axes = figure.subplots()
    broken = []
    for model, mark in drawing.items():
        rows = frame[(frame["model"].astype(str) == model) & (frame["status"] == "ok")]
        if rows.empty:
            broken.append(model)
            continue
        rows = rows.sort_values("threshold")
        dashes = DASHES[mark.marker]
        axes.plot(rows[UNKNOWN], rows[KNOWN], color=mark.colour, ls=dashes, lw=0.9, zorder=2)
        own = rows[rows["of_study"] == "yes"]
        axes.plot(own[UNKNOWN], own[KNOWN], **_point(mark), ls="", zorder=3, clip_on=False)
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)
    axes.set_aspect("equal")
    axes.grid()
    axes.set_xlabel("DAR of unknown images, % rejected\n(higher is better)")
    axes.set_ylabel("DAR of known images, % of decisions right\n(higher is better)")
    if broken:
        named = broken[0] if len(broken) == 1 else f"{len(broken)} models"
        axes.annotate(
            f"n/a: {named}", (0.02, 0.02), xycoords="axes fraction", fontsize=SMALL, color=GREY
        )
    handles = [
        Line2D([], [], **_point(mark), ls=DASHES[mark.marker], label=model)
        for model, mark in drawing.items()
    ]
    handles.append(
        Line2D([], [], color=GREY, marker="o", ls="", markersize=4, label="study's threshold")
    )
    figure.legend(handles=handles, loc="outside lower center", ncols=_across(models))
    return figure


def _across(models: list[str]) -> int:
    """Return how many entries of the legend stand in a row."""
    return max(1, int((SIZE + 1.0) / (text_width([*models, "study's threshold"]) + 0.45)))


def _point(mark: Mark) -> dict[str, Any]:
    return {
        "color": mark.colour,
        "marker": mark.marker,
        "markersize": 4.5,
        "markeredgewidth": 0.4,
        "markeredgecolor": "white",
    }
