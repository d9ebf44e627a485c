"""The loss of searches step by step, a panel a search and a curve a model."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter

from robusteval.figures._frames import check_frame, order
from robusteval.figures._style import (
    GREY,
    SMALL,
    grid_shape,
    house,
    marks,
    panels,
    text_width,
    wrapped,
)

VALUE = "loss_median"


@house
def searched_loss(frame: pd.DataFrame) -> Figure:
    """Return one panel for each test and condition: the median loss of valid images by step.

    ``frame`` has a row for each ``model``, ``test``, ``condition`` and ``step``, with
    ``loss_median`` and ``status``. A dot stands at each step, so that a short search is seen.

    Raises:
        ValueError: a column is missing, there are no rows, or a step is there twice.
    """
    key = ["model", "test", "condition", "step"]
    check_frame(frame, [*key, VALUE, "status"], key)
    drawing = marks(order(frame, "model"))
    pairs = list(dict.fromkeys(zip(frame["test"], frame["condition"], strict=True)))
    columns = grid_shape(len(pairs), 4)[1]
    entry = text_width(drawing) + 0.5
    across = max(1, min(len(drawing), int(columns * 1.75 / entry)))
    figure, axes = panels(
        len(pairs),
        most=4,
        size=(1.75, 1.85),
        labels=["a tick and a label"],
        around=0.3 + 0.16 * -(-len(drawing) // across),
        xlabel="step",
        ylabel="median cross-entropy, nats",
    )
    for place, (test, condition) in zip(axes, pairs, strict=True):
        own = frame[(frame["test"] == test) & (frame["condition"] == condition)]
        for model, mark in drawing.items():
            rows = own[(own["model"] == model) & (own["status"] == "ok")].sort_values("step")
            place.plot(
                rows["step"],
                rows[VALUE].clip(lower=1e-4),
                color=mark.colour,
                marker=mark.marker,
                markersize=1.6,
                lw=0.8,
            )
        place.set_yscale("log")
        last = int(frame["step"].max()) if frame["step"].notna().any() else 1
        place.set_xlim(-0.03 * last, 1.03 * last)
        place.set_xticks(range(0, last + 1, max(1, last // 5)))
        place.yaxis.set_minor_formatter(NullFormatter())
        place.grid()
        place.set_title("\n".join((wrapped(str(test), 1.6), wrapped(str(condition), 1.6))))
        if broken := order(own[own["status"] != "ok"], "model"):
            named = broken[0] if len(broken) == 1 else f"{len(broken)} models"
            place.annotate(
                f"n/a: {named}", (0.02, 0.02), xycoords="axes fraction", fontsize=SMALL, color=GREY
            )
    low, high = np.log10(axes[0].get_ylim())
    decades = np.arange(np.ceil(low), np.floor(high) + 1)
    axes[0].set_yticks(10**decades, labels=[f"{10**decade:g}" for decade in decades])
    axes[0].set_ylim(10**low, 10**high)
    handles = [
        Line2D([], [], color=mark.colour, marker=mark.marker, markersize=3, label=model)
        for model, mark in drawing.items()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=across)
    return figure
