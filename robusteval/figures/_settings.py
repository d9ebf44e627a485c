"""Models x attack settings as heat maps, one below the other, with one size of cell."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from robusteval.figures._cells import colour_bar, draw_cells, fit_numbers
from robusteval.figures._style import text_width

WIDEST = 5.4  # inches for the cells of a row
LEAST = 0.16  # inches for a setting's name, written upwards


def setting(attack: Any, condition: Any, goal: Any = None) -> str:
    """Return the name of a setting; what it aims at is left out where ids and conditions say it."""
    name = f"{attack}, {condition}" if not pd.isna(condition) else str(attack)
    return name.replace(f"_{goal},", ",").removesuffix(f", {goal}").removesuffix(f"_{goal}")


def draw_settings(
    tables: Sequence[tuple[str, pd.DataFrame]], label: str, *, xlabel: str, ylabel: str
) -> Figure:
    """Return one matrix for each titled table (models x settings, in percent) below the other.

    Tables with more settings than a page is wide go on in a matrix below. The settings are named
    once where the next matrix has the same.
    """
    most = int(WIDEST / LEAST)
    parts = [
        (title if start == 0 else f"{title}, continued", table.iloc[:, start : start + most])
        for title, table in tables
        for start in range(0, len(table.columns), most)
    ]
    longest = max(len(table.columns) for _, table in parts)
    models = list(parts[0][1].index)
    named = [
        i + 1 == len(parts) or list(table.columns) != list(parts[i + 1][1].columns)
        for i, (_, table) in enumerate(parts)
    ]
    cell = max(LEAST, min(0.4, WIDEST / longest))
    names = text_width(name for _, table in parts for name in table.columns)
    high = max(0.11, min(0.2, 6.5 / (len(parts) * len(models))))
    height = len(parts) * (high * len(models) + 0.3) + sum(named) * names + 0.9
    # A colour bar with its label wants some width of its own.
    width = max(longest * cell, 2.0) + text_width(models) + 0.4
    figure = Figure(figsize=(width, height), layout="constrained")
    grid = figure.subplots(len(parts), 1, squeeze=False)[:, 0]
    drawn = []
    for axes, (title, table), last in zip(grid, parts, named, strict=True):
        drawn.append((axes, draw_cells(axes, table)))
        axes.set_xlim(0, longest)
        axes.set_title(title, loc="left")
        axes.set_ylabel(ylabel)
        axes.tick_params(axis="x", rotation=90, labelbottom=last)
    grid[-1].set_xlabel(xlabel)
    colour_bar(figure, list(grid), label)
    fit_numbers(figure, drawn)
    return figure
