"""Draw mean and spread of FMR over the seeds of a method."""

import pandas as pd

from robusteval.figures._style import save
from robusteval.figures.seed_spread import seed_spread
from workflow_scripts.tabulate_methods import SCORE


def measured(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of FMR under the first condition of each test, its name in the column."""
    name = next(score for score in frame["score"] if score.endswith("fmr"))
    first = frame.groupby("test")["condition"].transform("first")
    own = frame[(frame["condition"] == first) & (frame["score"] == name)]
    return own.rename(columns={f"mean_{SCORE}": f"mean_{SCORE.replace('score', name)}"})


def draw_fmr_by_method(table: str, paths: list[str]) -> None:
    """Draw a table and write the figure to every path."""
    save(seed_spread(measured(pd.read_csv(table))), paths)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_fmr_by_method(snakemake.input.table, list(snakemake.output))
