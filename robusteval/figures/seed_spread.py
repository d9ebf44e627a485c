"""Mean and spread over the seeds of each training method, one panel a test or a kind of data."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from robusteval.figures._dots import LINE, ROW, draw_gap, write
from robusteval.figures._frames import check_frame, images_text, wide
from robusteval.figures._style import GREY, SMALL, Mark, house, marks, panels

LOW, HIGH = "min_over_seeds_pct", "max_over_seeds_pct"
SD = "sd_over_seeds_divisor_n_minus_1_pct_points"
LABELS = {  # by the column of the mean
    "mean_accuracy_pct_higher_better": "accuracy, %",
    "mean_dar_pct_higher_better": "DAR, % of decisions right",
    "mean_fmr_pct_higher_better": "FMR, %",
    "mean_oracle_relative_fmr_pct_higher_better": "oracle-relative FMR, %",
}
SCALE = 1.0  # percentage points that a panel shows at least: less is noise blown up


@house
def seed_spread(frame: pd.DataFrame) -> Figure:
    """Return a dot plot of means over seeds, a line from the least to the largest seed behind each.

    ``frame`` has one row for each ``method`` and ``test`` (or ``kind``), with ``n_seeds``, ``n``,
    the mean (a column of ``LABELS``), the least, the largest and the standard deviation over seeds
    in percent, and ``status``. At the right stand mean and standard deviation. Each panel has a
    scale of its own, as seeds differ by less than tests do.

    Raises:
        ValueError: a column is missing, there are no rows, or a method has a test twice.
    """
    panel = "test" if "test" in frame else "kind"
    mean = next((column for column in LABELS if column in frame), next(iter(LABELS)))
    check_frame(
        frame, ["method", panel, "n_seeds", "n", mean, SD, LOW, HIGH, "status"], ["method", panel]
    )
    values, spread, low, high = (
        wide(frame, column, rows=panel, columns="method") for column in (mean, SD, LOW, HIGH)
    )
    methods = [str(method) for method in values.columns]
    label = f"{LABELS[mean]} (higher is better)\ndot: mean of seeds, line: least to largest"
    label += "\nright: mean ± standard deviation"
    figure, grid = panels(
        len(values),
        most=2,
        size=(ROW / 2, LINE * len(methods) + 0.55),
        labels=methods,
        around=0.45,
        xlabel=label,
    )
    for axes, (name, rows) in zip(grid, frame.groupby(panel, sort=False), strict=True):
        own = pd.DataFrame(
            {
                "mean": values.loc[name],
                "sd": spread.loc[name],
                LOW: low.loc[name],
                HIGH: high.loc[name],
            }
        )
        _draw(axes, own, marks(methods))
        axes.set_title(str(name), loc="left", pad=11)
        axes.annotate(
            f"{_seeds(rows)}, {images_text(rows)}",
            (0, 1),
            (0, 3),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=SMALL,
            color=GREY,
        )
    return figure


def _draw(axes: Axes, own: pd.DataFrame, look: dict[str, Mark]) -> None:
    """Draw the panel of ``own``: a row a method, NaN where it has no value."""
    for m, ((_, row), mark) in enumerate(zip(own.iterrows(), look.values(), strict=True)):
        if np.isnan(row["mean"]):
            draw_gap(axes, m)
            continue
        axes.hlines(m, row[LOW], row[HIGH], color=mark.colour, lw=1.2, zorder=2)
        axes.plot(
            row["mean"],
            m,
            mark.marker,
            color=mark.colour,
            markersize=3.5,
            markeredgewidth=0.4,
            markeredgecolor="white",
            zorder=3,
        )
        write(axes, m, f"{row['mean']:.1f} ± {row['sd']:.1f}", "black")
    axes.set_xlim(*_limits(own))
    axes.set_ylim(len(own) - 0.5, -0.5)
    axes.set_yticks(range(len(own)), labels=list(own.index))
    axes.tick_params(axis="x", labelbottom=True)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")


def _limits(own: pd.DataFrame) -> tuple[float, float]:
    """Return the ends of a panel's scale: what it holds and a twentieth more, `SCALE` at least."""
    if own[LOW].isna().all():
        return 0.0, 100.0
    low, high = own[LOW].min(), own[HIGH].max()
    more = max(0.05 * (high - low), (SCALE - (high - low)) / 2)
    return float(low - more), float(high + more)


def _seeds(rows: pd.DataFrame) -> str:
    """Return how many seeds a panel's methods have: ``3 seeds`` or ``2 to 3 seeds``."""
    low, high = int(rows["n_seeds"].min()), int(rows["n_seeds"].max())
    return f"{low} seeds" if low == high else f"{low} to {high} seeds"
