"""The DAR of every model on the five kinds of data, their mean, and what stands beside it."""

import pandas as pd
from matplotlib.figure import Figure

from robusteval.figures._dots import draw_dots
from robusteval.figures._frames import check_frame, images_text, order, wide
from robusteval.figures._style import house

VALUE = "dar_pct_higher_better"
KINDS = ("clean", "corrupt", "adversarial", "novel", "unrecognisable", "mean")


@house
def dar_by_kind(frame: pd.DataFrame) -> Figure:
    """Return a dot plot of DAR, one panel a kind of data and one dot a model.

    ``frame`` has one row for each ``model`` and ``kind``, with ``n``, ``dar_pct_higher_better``
    and ``status``. The kinds are drawn in the order clean, corrupt, adversarial, novel,
    unrecognisable, mean; any other follows.

    Raises:
        ValueError: a column is missing, there are no rows, or a model has a kind twice.
    """
    check_frame(frame, ["model", "kind", "n", VALUE, "status"], ["model", "kind"])
    present = order(frame, "kind")
    kinds = [k for k in KINDS if k in present] + [k for k in present if k not in KINDS]
    values = wide(frame, VALUE, rows="kind", columns="model", row_order=kinds)
    notes = {str(kind): images_text(rows) for kind, rows in frame.groupby("kind", sort=False)}
    notes["mean"] = "over those before it"
    return draw_dots(values, notes, "DAR, % of decisions right\n(higher is better)", most=3)
