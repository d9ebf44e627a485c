"""Reading tables for a drawing: checked, in their own order, with gaps where a cell is not ok."""

from collections.abc import Sequence

import pandas as pd


def check_frame(frame: pd.DataFrame, columns: Sequence[str], key: Sequence[str]) -> None:
    """Check that ``frame`` has rows, has ``columns`` and names each combination of ``key`` once.

    Raises:
        ValueError: it does not; the message gives the columns or the first combination.
    """
    missing = [column for column in columns if column not in frame.columns]
    if missing:
        raise ValueError(f"columns {missing} are missing: expected {list(columns)}")
    if frame.empty:
        raise ValueError("the table has no rows: expected at least one")
    repeated = frame.duplicated(list(key))
    if repeated.any():
        first = frame.loc[repeated, list(key)].iloc[0].to_dict()
        raise ValueError(f"{first} stands in {repeated.sum() + 1} rows or more: expected one each")


def order(frame: pd.DataFrame, column: str) -> list[str]:
    """Return the values of a column in the order in which they first appear."""
    return [str(value) for value in frame[column].unique()]


def wide(
    frame: pd.DataFrame,
    value: str,
    *,
    rows: str,
    columns: str,
    row_order: Sequence[str] | None = None,
    column_order: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Return ``value`` as a table of rows x columns, NaN where a cell is absent or not ok."""
    usable = frame.loc[frame["status"] == "ok", [rows, columns, value]]
    table = usable.astype({rows: str, columns: str}).pivot(
        index=rows, columns=columns, values=value
    )
    return table.reindex(
        index=list(row_order or order(frame, rows)),
        columns=list(column_order or order(frame, columns)),
    ).astype(float)


def images_text(frame: pd.DataFrame) -> str:
    """Return how many images the ok rows rest on: ``n = 1,000`` or ``n = 812 to 1,000``."""
    n = frame.loc[frame["status"] == "ok", "n"]
    if n.empty:
        return "n/a"
    low, high = int(n.min()), int(n.max())
    return f"n = {low:,}" if low == high else f"n = {low:,} to {high:,}"
