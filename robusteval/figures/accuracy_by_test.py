"""Accuracy of every model on every test, with its confidence interval."""

import pandas as pd
from matplotlib.figure import Figure

from robusteval.figures._dots import draw_dots
from robusteval.figures._frames import check_frame, images_text, wide
from robusteval.figures._style import house

VALUE = "accuracy_pct_higher_better"
LOW, HIGH = "low95_pct", "high95_pct"


@house
def accuracy_by_test(frame: pd.DataFrame) -> Figure:
    """Return a dot plot of accuracy, one panel a test, one dot with its 95% interval a model.

    ``frame`` has one row for each ``model`` and ``test``, with ``n``,
    ``accuracy_pct_higher_better``, ``low95_pct``, ``high95_pct`` and ``status``.
    Tests and models are drawn in the order of their first rows.

    Raises:
        ValueError: a column is missing, there are no rows, or a model has a test twice.
    """
    check_frame(frame, ["model", "test", "n", VALUE, LOW, HIGH, "status"], ["model", "test"])
    values, low, high = (
        wide(frame, column, rows="test", columns="model") for column in (VALUE, LOW, HIGH)
    )
    notes = {str(test): images_text(rows) for test, rows in frame.groupby("test", sort=False)}
    label = "accuracy, %, with 95% interval\n(higher is better)"
    return draw_dots(values, notes, label, most=2, low=low, high=high)
