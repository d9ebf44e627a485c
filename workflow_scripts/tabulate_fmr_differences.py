"""Tabulate what a setting of searches moves: pairs that differ in it alone, image by image."""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from robusteval.metrics._searched import Verdicts, difference, estimate
from robusteval.records import OK, Records
from robusteval.seeds import generator
from workflow_scripts._fmr import (
    Searches,
    conditions_of,
    head_of,
    prefix_of,
    read_checks,
    read_searches,
    search_costs,
    verdicts_of,
)
from workflow_scripts._tables import percent, write_table

SHOWN = ("vr", "pa", "fmr", "fmr_valid")
COSTS = ["latents_that_may_move_pct", "accepted_steps_mean", "judged_images_per_image"]
DEFAULTS = {"step": "sign", "budget": 50, "sparse": "no"}
Search = tuple[str, str]
"""Test and condition."""


def settings_of(values: Mapping[str, Any], about: Mapping[str, Any]) -> dict[str, Any]:
    """Return all that makes a search: settings of a condition, and networks of its test.

    ``about`` are the settings of the check of the test's oracle.
    """
    asked = about["oracle"] if values.get("oracle", True) else "none"
    networks = {"generator": about["generator"], "adapter": about["adapter"], "oracle": asked}
    return {**DEFAULTS, **values, **networks}


def pairs(
    model: str, searches: Searches, checks: Mapping[str, Records]
) -> Iterator[tuple[str, tuple[Any, Any], Search, Search]]:
    """Yield the setting that two searches of a model differ in, its values, and the two."""
    found = {
        (test, condition): settings_of(values, checks[test].settings)
        for (searched, test), records in searches.items()
        if searched == model
        for condition, values in conditions_of(records).items()
    }
    for (one, own), (other, its) in combinations(found.items(), 2):
        differ = [key for key in {**own, **its} if own.get(key) != its.get(key)]
        if len(differ) == 1:
            yield differ[0], (own.get(differ[0]), its.get(differ[0])), one, other


def rows(
    searches: Searches, checks: Mapping[str, Records], prefix: str
) -> Iterator[dict[str, Any]]:
    """Yield a row for each model and pair of searches, over the images that both began at."""
    for model in dict.fromkeys(model for model, _ in searches):
        for setting, values, one, other in pairs(model, searches, checks):
            row = {"model": model, "setting": setting}
            for name, value, (test, condition) in zip(
                ("", "other_"), values, (one, other), strict=True
            ):
                row |= {f"{name}value": _text(value), f"{name}test": test}
                row[f"{name}condition"] = condition
            both = [searches[model, test] for test, _ in (one, other)]
            if bad := [records.status for records in both if records.status != OK]:
                yield {**row, "n": 0, "status": bad[0]}
                continue
            frames = _shared(both)
            for name, records, frame, (_, condition) in zip(
                ("", "other_"), both, frames, (one, other), strict=True
            ):
                costs = search_costs(frame, records.settings["kept"], condition)
                row |= {f"{name}{key}": costs[key] for key in COSTS if key in costs}
            this, that = map(verdicts_of, frames, (one[1], other[1]))
            row["n"] = len(this.valid)
            key = (model, *one, *other)
            yield {**row, **_compared(this, that, key, prefix), "status": OK}


def _shared(both: list[Records]) -> list[pd.DataFrame]:
    """Return the rows of the images that both searches began at: a smaller test has fewer."""
    first, second = (records.frame["image_id"].to_numpy() for records in both)
    ids = np.intersect1d(first, second)
    return [records.frame[records.frame["image_id"].isin(ids)] for records in both]


def _compared(
    one: Verdicts, other: Verdicts, key: tuple[str, ...], prefix: str
) -> dict[str, float | None]:
    """Return scores of both in percent, and by how many points the other is above; empty if NaN."""
    found: dict[str, float] = {}
    for name in SHOWN:
        more = difference(name, other, one, generator(0, "fmr_differences", *key, name))
        numbers = (estimate(name, one), estimate(name, other), *more)
        found |= dict(zip(heads_of(name, prefix), numbers, strict=True))
    return {head: None if np.isnan(v) else percent(v) + 0.0 for head, v in found.items()}


def heads_of(name: str, prefix: str) -> list[str]:
    """Return the columns of a score: of both searches, their difference and its interval."""
    head, more = f"{head_of(name, prefix)}_pct_higher_better", f"other_less_this_{name}"
    ends = [f"{more}_bootstrap95_{end}_points" for end in ("low", "high")]
    return [head, f"other_{head}", f"{more}_points", *ends]


def columns(prefix: str) -> list[str]:
    """Return the columns of the table."""
    about = ["value", "test", "condition"]
    found = ["model", "setting", *about, *(f"other_{name}" for name in about), "n"]
    found += [head for name in SHOWN for head in heads_of(name, prefix)]
    return [*found, *(f"{name}{cost}" for cost in COSTS for name in ("", "other_")), "status"]


def _text(value: Any) -> str:
    """Return a setting in words: several numbers with their names."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {one}" for key, one in value.items())
    return "none" if value is None else str(value)


def tabulate_fmr_differences(searches: list[str], checks: list[str], path: str) -> None:
    """Write the table."""
    judged = read_checks(checks)
    prefix = prefix_of(judged)
    write_table(path, rows(read_searches(searches), judged, prefix), columns(prefix))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_fmr_differences(
            list(snakemake.input.searches), list(snakemake.input.checks), snakemake.output.table
        )
