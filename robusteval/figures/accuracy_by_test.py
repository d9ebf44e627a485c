"""Accuracy of every model on every test, with its confidence interval."""

import pandas as pd
from matplotlib.figure import Figure

from robusteval.figures._dots import dot_figure, draw_dots
from robusteval.figures._frames import check_frame, images_text, order, wide
from robusteval.figures._style import house

VALUE = "accuracy_pct_higher_better"
LOW, HIGH = "wilson95_low_pct", "wilson95_high_pct"


@house
def accuracy_by_test(frame: pd.DataFrame) -> Figure:
    """Return a dot plot of accuracy, one band a test and one dot with its 95% interval a model.

    ``frame`` has one row for each ``model`` and ``test``, with ``n``,
    ``accuracy_pct_higher_better``, ``wilson95_low_pct``, ``wilson95_high_pct`` and ``status``.
    Tests and models are drawn in the order of their first rows.

    Raises:
        ValueError: a column is missing, there are no rows, or a model has a test twice.
    """
    check_frame(frame, ["model", "test", "n", VALUE, LOW, HIGH, "status"], ["model", "test"])
    values, low, high = (
        wide(frame, column, rows="test", columns="model") for column in (VALUE, LOW, HIGH)
    )
    figure, axes = dot_figure(len(values), order(frame, "model"))
    draw_dots(axes, values, low=low, high=high)
    n = {str(test): images_text(rows) for test, rows in frame.groupby("test", sort=False)}
    axes.set_yticks(range(len(values)), labels=[f"{test}\n{n[test]}" for test in values.index])
    axes.set_xlabel("accuracy, % of n images, with 95% Wilson interval (higher is better)")
    return figure
