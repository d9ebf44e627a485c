"""The loss of searches step by step, a panel a search and a curve a model."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from robusteval.figures._frames import check_frame, order
from robusteval.figures._style import house, marks, panels, wrapped

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
    figure, axes = panels(
        len(pairs),
        most=4,
        size=(1.75, 1.6),
        around=0.5,
        xlabel="step",
        ylabel="median cross-entropy\nof the model (nats)",
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
        place.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        place.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
        place.grid()
        place.set_title("\n".join((wrapped(str(test), 1.6), str(condition))))
    handles = [
        Line2D([], [], color=mark.colour, marker=mark.marker, markersize=3, label=model)
        for model, mark in drawing.items()
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(4, len(handles)))
    return figure
