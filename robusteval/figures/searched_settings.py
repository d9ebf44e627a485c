"""FMR by step size and budget of the search, a panel a model and search."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.text import Text

from robusteval.figures._cells import colour_bar, draw_cells, fit_numbers
from robusteval.figures._frames import check_frame, order
from robusteval.figures._style import SMALL, house, panels, wrapped

VALUE, RELATIVE = "fmr_valid_pct_higher_better", "oracle_relative_"


@house
def searched_settings(frame: pd.DataFrame) -> Figure:
    """Return for each model and test a grid of FMR on valid images, step sizes x budgets.

    ``frame`` has a row for each ``model``, ``test``, ``step_size`` and ``budget``, with
    ``fmr_valid_pct_higher_better``, or the same with ``oracle_relative_`` before it, and
    ``status``; a cell that is not there is hatched. Colours end at 100. Where a test has several
    step sizes, those with one are left out: they have nothing to choose from.

    Raises:
        ValueError: a column is missing, there are no rows, or a cell is there twice.
    """
    key = ["model", "test", "step_size", "budget"]
    relative = RELATIVE + VALUE in frame
    value = RELATIVE + VALUE if relative else VALUE
    check_frame(frame, [*key, value, "status"], key)
    several = frame.groupby("test")["step_size"].transform("nunique") > 1
    frame = frame[several] if several.any() else frame
    pairs = [(m, t) for t in order(frame, "test") for m in order(frame, "model")]
    pairs = [p for p in pairs if ((frame["model"] == p[0]) & (frame["test"] == p[1])).any()]
    sizes, budgets = sorted(frame["step_size"].unique()), sorted(frame["budget"].dropna().unique())
    height = 0.5 + 0.24 * len(sizes)
    figure, axes = panels(
        len(pairs),
        most=3,
        size=(2.2, height + 0.35),
        around=0.6,
        xlabel="budget, steps at most",
        ylabel="step size",
    )
    drawn: list[tuple[object, list[Text]]] = []
    for place, (model, test) in zip(axes, pairs, strict=True):
        own = frame[(frame["model"] == model) & (frame["test"] == test) & (frame["status"] == "ok")]
        table = own.pivot(index="step_size", columns="budget", values=value)
        table = table.reindex(index=sizes, columns=budgets).astype(float)
        table.index = [f"{size:g}" for size in sizes]
        table.columns = [f"{int(budget)}" for budget in budgets]
        drawn.append((place, draw_cells(place, table)))
        place.set_title(wrapped(model, 2.0), pad=10)
        place.text(
            0.5, 1.02, test, transform=place.transAxes, ha="center", va="bottom", fontsize=SMALL
        )
    name = "oracle-relative FMR" if relative else "FMR"
    colour_bar(figure, axes, f"{name} on valid images, % (higher is better)")
    fit_numbers(figure, drawn)  # type: ignore[arg-type]
    return figure
