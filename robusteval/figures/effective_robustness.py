"""Accuracy on shifted images against accuracy on the original ones, model by model."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from robusteval.figures import _style
from robusteval.figures._frames import check_frame, order
from robusteval.figures._style import house

BASE, SHIFTED = "base_accuracy_pct", "shifted_accuracy_pct"
FORETOLD = "foretold_accuracy_pct"
RESIDUAL = "effective_robustness_points_higher_better"
NAMED = 20  # models that all have a mark of their own; of more, those furthest from the line
FURTHEST = 2  # above the line and below it, in each panel
TICKS = (0.1, 1, 5, 10, 20, 40, 60, 80, 90, 95, 99, 99.9)
PANEL = (3.5, 2.75)  # inches
LEGEND = 0.13  # inches a line
MARK = 0.3  # inches beside a name


@house
def effective_robustness(frame: pd.DataFrame) -> Figure:
    """Return scatter plots in logit scale, one panel a shifted set, with the line over all models.

    ``frame`` has one row for each ``model`` and ``test``, with ``base_test``,
    ``base_accuracy_pct``, ``shifted_accuracy_pct``, ``foretold_accuracy_pct``,
    ``effective_robustness_points_higher_better`` and ``status``. Up to 20 models have a mark each;
    of more, grey dots, only those furthest above and below the line do.

    Raises:
        ValueError: a column is missing, there are no rows, or a model has a test twice.
    """
    check_frame(
        frame, ["model", "test", "base_test", BASE, SHIFTED, FORETOLD, "status"], ["model", "test"]
    )
    usable = frame[frame["status"] == "ok"]
    if usable.empty:
        return _style.nothing_to_draw("no model has an accuracy on both sets")
    marks = _style.marks(named(frame))
    tests = order(frame, "test")
    columns = max(1, int(_style.WIDTH / (_style.text_width(marks) + MARK)))
    figure, grid = _panels(len(tests), -(-len(marks) // columns) * LEGEND)
    for axes, test in zip(grid, tests, strict=True):
        of_test = frame[frame["test"] == test]
        _draw(axes, of_test[of_test["status"] == "ok"], marks)
        _write(axes, str(test), of_test)
    handles = [
        Line2D([], [], ls="", marker=m.marker, color=m.colour, ms=4, label=name)
        for name, m in marks.items()
    ]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=columns,
        handletextpad=0.2,
        fontsize=_style.SMALL,
    )
    return figure


def named(frame: pd.DataFrame) -> list[str]:
    """Return the models with a mark: all of a few, else those furthest from the lines."""
    models = order(frame, "model")
    if len(models) <= NAMED:
        return models
    found: list[str] = []
    for _, rows in frame[frame["status"] == "ok"].groupby("test", sort=False):
        ranked = rows.sort_values(RESIDUAL, kind="stable")["model"].astype(str).tolist()
        found += [*ranked[-FURTHEST:][::-1], *ranked[:FURTHEST]]
    return list(dict.fromkeys(found))


def _panels(count: int, legend: float) -> tuple[Figure, list[Axes]]:
    rows, columns = _style.grid_shape(count, 2)
    size = columns * PANEL[0], rows * PANEL[1] + legend + 0.1
    figure = Figure(figsize=(max(size[0], _style.WIDTH), size[1]), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    for axes in grid.flat[count:]:
        axes.remove()
    return figure, list(grid.flat[:count])


def _draw(axes: Axes, rows: pd.DataFrame, marks: dict[str, _style.Mark]) -> None:
    if rows.empty:
        axes.set(xticks=[], yticks=[])
        return
    x, y = logits(rows[BASE]), logits(rows[SHIFTED])
    special = rows["model"].astype(str).isin(list(marks)).to_numpy()
    axes.plot(x[~special], y[~special], ".", ms=2.5, mew=0, color="#9a9a9a", rasterized=True)
    for i in np.flatnonzero(special):
        mark = marks[str(rows["model"].iloc[i])]
        axes.plot(x[i], y[i], mark.marker, color=mark.colour, ms=4, mew=0.4, mec="white", zorder=3)
    ends = np.argsort(x, kind="stable")[[0, -1]]
    line = logits(rows[FORETOLD])
    axes.plot(x[ends], line[ends], "-", color="black", lw=0.8, zorder=2)
    for ticks, values in ((axes.xaxis, x), (axes.yaxis, np.concatenate([y, line[ends]]))):
        at = _ticks(values)
        ticks.set_ticks(logits(at), labels=[f"{t:g}" for t in at])
    axes.grid(True)


def _write(axes: Axes, test: str, rows: pd.DataFrame) -> None:
    """Write what a panel shows, and how many models have no place in it."""
    broken = int((rows["status"] != "ok").sum())
    note = f"{len(rows) - broken:,} models" + (f"; n/a: {broken}" if broken else "")
    axes.set_title(test, loc="left", pad=11)
    axes.annotate(
        note,
        (0, 1),
        (0, 3),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=_style.SMALL,
        color=_style.GREY,
    )
    axes.set_xlabel(f"accuracy on {rows['base_test'].iloc[0]}, %, logit scale")
    axes.set_ylabel("accuracy on the shifted set, %")


def logits(percent: "pd.Series[float] | Sequence[float]") -> NDArray[np.float64]:
    """Return ln(p / (1 - p)) of accuracies (N,) in percent."""
    share = np.asarray(percent, float) / 100
    odds: NDArray[np.float64] = np.log(share / (1 - share))
    return odds


def _ticks(values: NDArray[np.float64]) -> list[float]:
    """Return the ticks that lie among logits, or those around them where fewer than two do."""
    finite = values[np.isfinite(values)]
    inside = [t for t in TICKS if finite.min() <= logits([t])[0] <= finite.max()]
    if len(inside) > 1:
        return inside
    below = [t for t in TICKS if logits([t])[0] <= finite.min()][-1:]
    above = [t for t in TICKS if logits([t])[0] >= finite.max()][:1]
    return sorted({*below, *inside, *above})
