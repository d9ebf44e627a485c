"""How widely the images made against each model transfer, by attack setting."""

import pandas as pd
from matplotlib.figure import Figure

from robusteval.figures._frames import check_frame, order, wide
from robusteval.figures._settings import draw_settings, setting
from robusteval.figures._style import house

VALUE = "mean_pct_higher_transfers_more"


@house
def transfer_sources(frame: pd.DataFrame) -> Figure:
    """Return a matrix of mean transfer, source models x attack settings, for each set of targets.

    ``frame`` has one row for each ``attack``, ``condition``, ``source`` and ``targets`` (such as
    "all other models"), with ``mean_pct_higher_transfers_more`` and ``status``.

    Raises:
        ValueError: a column is missing, there are no rows, or a cell stands there twice.
    """
    key = ["attack", "condition", "source", "targets"]
    check_frame(frame, [*key, VALUE, "status"], key)
    sources = order(frame, "source")
    names = [setting(*k) for k in frame[key[:2]].itertuples(index=False, name=None)]
    named = frame.assign(setting=names)
    settings = order(named, "setting")
    tables = [
        (
            f"to {targets}",
            wide(
                rows,
                VALUE,
                rows="source",
                columns="setting",
                row_order=sources,
                column_order=settings,
            ),
        )
        for targets, rows in named.groupby("targets", sort=False)
    ]
    label = "mean transfer to the targets, %\n(higher transfers more)"
    return draw_settings(tables, label, xlabel="attack and condition", ylabel="source model")
