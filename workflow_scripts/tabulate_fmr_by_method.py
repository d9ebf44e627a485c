"""Tabulate accuracy after searches and FMR of methods: mean and spread over several seeds."""

from collections.abc import Collection

import pandas as pd

from workflow_scripts._methods import Methods
from workflow_scripts._tables import write_table
from workflow_scripts.tabulate_methods import SCORE, by_method, columns_of

SHOWN = ("sa", "vr", "sa_valid", "pa_0", "pa", "fmr", "fmr_valid")
COUNTS = {"n": "Int64", "valid_n": "Int64"}  # no count becomes 1.0 where a model lacks it
ROWS = ["test", "condition", "score"]
ABOUT = ["valid_n", "generator", "oracle", "judged_by", "control", "step", "step_size", "budget"]


def by_score(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table of FMR with a line for each score, in the order of the columns of scores.

    The name of a ratio keeps its ``oracle_relative_``.
    """
    end = "_pct_higher_better"
    names = [name.removesuffix(end) for name in frame.columns if name.endswith(end)]
    shown = [name for name in names if name.removeprefix("oracle_relative_") in SHOWN]
    about = ["model", "test", "condition", "n", *ABOUT, "status"]
    parts = [frame[about].assign(score=name, **{SCORE: frame[name + end]}) for name in shown]
    return pd.concat(parts).sort_index(kind="stable")  # a line's scores beside each other


def tabulate_fmr_by_method(fmr: str, tests: Collection[str], methods: Methods, path: str) -> None:
    """Write the table, of ``tests``."""
    frame = pd.read_csv(fmr, dtype=COUNTS)
    frame = frame[frame["test"].isin(tests)]
    frame["control"] = frame["control"].fillna("none")
    lines = by_method(by_score(frame), methods, ROWS, SCORE, ABOUT)
    write_table(path, lines, columns_of(ROWS, SCORE, ABOUT))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_fmr_by_method(
            snakemake.input.fmr,
            snakemake.params.tests,
            snakemake.params.methods,
            snakemake.output.table,
        )
