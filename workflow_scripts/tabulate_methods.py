"""Tabulate accuracy and DAR of methods: mean and spread over models of several seeds."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from robusteval.records import OK
from workflow_scripts._dar import OPTIONS
from workflow_scripts._methods import Methods
from workflow_scripts._tables import write_table

SPREAD = {  # of a column: the mean over seeds, its standard deviation, the least and the largest
    f"{name}_pct_higher_better": [
        f"mean_{name}_pct_higher_better",
        "sd_over_seeds_divisor_n_minus_1_pct_points",
        "min_over_seeds_pct",
        "max_over_seeds_pct",
    ]
    for name in ("accuracy", "dar", "score")
}
ACCURACY, DAR, SCORE = SPREAD
LEFT_OUT = "unreadable_left_out"
COUNTS = {"n": "Int64", "conditions": "Int64"}  # no count becomes 1.0 where a cell lacks it


def columns_of(rows: list[str], value: str, about: list[str]) -> list[str]:
    """Return the columns of a table with a line for each method and what ``rows`` say."""
    return ["method", *rows, "n_seeds", "seeds", "n", *SPREAD[value], *about, "status"]


def by_method(
    frame: pd.DataFrame, methods: Methods, rows: list[str], value: str, about: list[str]
) -> Iterator[dict[str, Any]]:
    """Yield a line for each method and what columns ``rows`` of ``frame`` say (test, or kind).

    Means and spreads are those of the percentages as ``frame`` has them, to two decimals. A method
    has none where a model of it has none: its status says which, and why. ``n`` is the number of
    images of each model, which has to be the same for all; ``about`` names what else is.
    """
    for method, seeds in methods.items():
        own = frame[frame["model"].isin(list(seeds))]
        for names, lines in own.groupby(rows, sort=False):
            yield {
                "method": method,
                **dict(zip(rows, names, strict=True)),
                "n_seeds": len(seeds),
                "seeds": " ".join(map(str, seeds.values())),
                **_spread(lines.set_index("model"), seeds, value, about),
            }


def _spread(
    lines: pd.DataFrame, seeds: Mapping[str, int], value: str, about: list[str]
) -> dict[str, Any]:
    """Return mean and spread over the models with these ``seeds``, or why there is none."""
    if (failed := lines["status"] != OK).any():
        return {"n": 0, "status": "{}: {}".format(*next(lines["status"][failed].items()))}
    if missing := [model for model in seeds if model not in lines.index]:
        return {"n": 0, "status": f"{', '.join(missing)}: nothing in the table"}
    for column in ("n", *about):
        if len(found := lines[column].unique()) > 1:
            differ = ", ".join(map(str, found))
            return {"n": 0, "status": f"{column} differs from seed to seed: {differ}"}
    if (empty := lines[value].isna()).any():
        return {"n": 0, "status": f"{empty.idxmax()}: no value"}
    values = lines[value].to_numpy(np.float64)
    numbers = values.mean(), values.std(ddof=1), values.min(), values.max()
    shared = {"n": lines["n"].iloc[0]} | {name: str(lines[name].iloc[0]) for name in about}
    rounded = (round(float(number), 2) for number in numbers)
    return shared | dict(zip(SPREAD[value], rounded, strict=True)) | {"status": OK}


def tabulate_methods(accuracy: str, dar: str, methods: Methods, by_test: str, by_kind: str) -> None:
    """Write both tables."""
    for source, target, rows, value, about in (
        (accuracy, by_test, ["test"], ACCURACY, ["conditions"]),
        (dar, by_kind, ["kind"], DAR, ["sets", *OPTIONS]),
    ):
        frame = pd.read_csv(source, dtype=COUNTS)
        lines = by_method(frame, methods, rows, value, about)
        left_out = str(frame[LEFT_OUT].iloc[0]) if LEFT_OUT in frame else ""
        write_table(target, lines, columns_of(rows, value, about), left_out=left_out)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_methods(
            snakemake.input.accuracy,
            snakemake.input.dar,
            snakemake.params.methods,
            snakemake.output.accuracy,
            snakemake.output.dar,
        )
