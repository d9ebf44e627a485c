"""Error of every model under every corruption and severity."""

import pandas as pd
from matplotlib.figure import Figure

from robusteval.figures._cells import colour_bar, draw_cells, fit_numbers
from robusteval.figures._frames import check_frame, images_text, order, wide
from robusteval.figures._style import house, panels, wrapped

VALUE = "error_pct_lower_better"


@house
def corruption_heatmap(frame: pd.DataFrame) -> Figure:
    """Return one panel a model, corruptions x severities, coloured by the error.

    ``frame`` has one row for each ``model``, ``corruption`` and ``severity``, with ``n``,
    ``error_pct_lower_better`` and ``status``; with a column ``test`` that has the same corruption
    in several tests, a model has a panel for each. All panels share the scale 0 to 100.

    Raises:
        ValueError: a column is missing, there are no rows, or a cell stands there twice.
    """
    key = ["model", "corruption", "severity"]
    if "test" in frame and frame.dropna(subset=["corruption"]).duplicated(key).any():
        frame = frame.assign(model=frame["model"] + ", " + frame["test"])
    check_frame(frame, [*key, "n", VALUE, "status"], key)
    models, corruptions = order(frame, "model"), order(frame, "corruption")
    severities = [str(severity) for severity in sorted(frame["severity"].unique())]
    most = 3 if len(models) <= 6 else 5
    width = 6.0 / most
    figure, grid = panels(
        len(models),
        most=most,
        size=(width, 0.14 * len(corruptions) + 0.3),
        labels=corruptions,
        around=0.75,
        xlabel="severity",
    )
    drawn = []
    for axes, model in zip(grid, models, strict=True):
        table = wide(
            frame[frame["model"].astype(str) == model],
            VALUE,
            rows="corruption",
            columns="severity",
            row_order=corruptions,
            column_order=severities,
        )
        drawn.append((axes, draw_cells(axes, table)))
        axes.set_title(wrapped(model, width))
    colour_bar(figure, grid, f"top-1 error, % ({images_text(frame)}; lower is better)")
    fit_numbers(figure, drawn)
    return figure
