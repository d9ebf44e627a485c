"""Tabulate searches by step size and budget, and the loss at each step."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robusteval.metrics._searched import Verdicts, estimates, intervals
from robusteval.records import OK, Records
from robusteval.seeds import generator
from workflow_scripts._fmr import (
    conditions_of,
    control_of,
    head_of,
    part,
    prefix_of,
    read_checks,
    read_searches,
    right,
    verdicts_of,
)
from workflow_scripts._searching import ORIGINAL
from workflow_scripts._tables import percent, write_table

BUDGETS = (0, 1, 2, 5, 10, 20, 50, 100)  # and that of the search
SHOWN = ("pa", "fmr", "fmr_valid")
STEPS = ["model", "test", "condition", "control", "step", "n", "accepted"]
STEPS += ["loss_mean", "loss_median", "status"]


def columns(prefix: str) -> list[str]:
    """Return the columns of the table of settings."""
    found = ["model", "test", "condition", "control", "step", "step_size", "budget", "n", "valid_n"]
    for name in SHOWN:
        found += [f"{head_of(name, prefix)}_pct_higher_better"]
        found += [f"{name}_bootstrap95_low_pct", f"{name}_bootstrap95_high_pct"]
    return [*found, "accepted_steps_mean", "status"]


def settings_rows(
    key: tuple[str, str], records: Records, trace: pd.DataFrame, prefix: str
) -> Iterator[dict[str, Any]]:
    """Yield a row for each condition and each budget up to that of the search.

    A search of a smaller budget is the beginning of one of a larger one, so the trace holds it: its
    image is that of step B, or the last accepted one before. No image is searched or judged again.
    """
    row = {"model": key[0], "test": key[1]}
    for condition, values in conditions_of(records).items():
        budget = values.get("budget", 50)
        about = {**row, "condition": condition, "control": control_of(values)}
        about |= {"step": values.get("step", "sign"), "step_size": values["step_size"]}
        if records.status != OK:
            yield {**about, "n": 0, "status": records.status}
            continue
        whole = verdicts_of(records.frame, condition)
        own = part(records.frame, condition)
        before = right(part(records.frame, ORIGINAL))
        table = _right_by_step(part(trace, condition), own["image_id"].to_numpy(), budget)
        steps = own["steps"].to_numpy()
        for at in sorted({*(b for b in BUDGETS if b < budget), budget}):
            reached = np.minimum(steps, at)
            said = np.where(whole.valid, table[np.arange(len(steps)), reached], before)
            known = Verdicts(before, whole.right_round_trip, said, whole.valid)
            spread = intervals(known, generator(0, "fmr_settings", *key, condition, at))
            found = {**about, "budget": at, "n": len(steps), "valid_n": int(whole.valid.sum())}
            for name in SHOWN:
                ends = (estimates(known)[name], *spread[name])
                heads = (f"{head_of(name, prefix)}_pct_higher_better",)
                heads += tuple(f"{name}_bootstrap95_{end}_pct" for end in ("low", "high"))
                found |= {
                    h: None if np.isnan(v) else percent(v) for h, v in zip(heads, ends, strict=True)
                }
            if whole.valid.any():
                found["accepted_steps_mean"] = round(float(reached[whole.valid].mean()), 2)
            yield {**found, "status": OK}


def step_rows(
    key: tuple[str, str], records: Records, trace: pd.DataFrame
) -> Iterator[dict[str, Any]]:
    """Yield a row for each condition and step: the loss of the images judged at it.

    After its search has ended, an image counts with the loss of its last accepted image, so that
    all steps are of the same images: the valid ones.
    """
    for condition, values in conditions_of(records).items():
        row = {
            "model": key[0],
            "test": key[1],
            "condition": condition,
            "control": control_of(values),
        }
        if records.status != OK:
            yield {**row, "n": 0, "status": records.status}
            continue
        kept = part(trace, condition)
        kept = kept[kept["accepted"]]
        wide = kept.pivot(index="image_id", columns="step", values="loss").sort_index(axis=1)
        wide = wide.reindex(columns=range(values.get("budget", 50) + 1))
        on = wide.notna().sum()
        wide = wide.ffill(axis=1)
        for step in wide:
            losses = wide[step].to_numpy(np.float64)
            found = {"step": int(step), "n": len(losses), "accepted": int(on[step])}
            found |= {
                "loss_mean": f"{losses.mean():.4g}",
                "loss_median": f"{np.median(losses):.4g}",
            }
            yield {**row, **found, "status": OK}


def _right_by_step(trace: pd.DataFrame, ids: NDArray[np.int64], budget: int) -> NDArray[np.bool_]:
    """Return where (N, budget + 1) the model was right about the image of a step."""
    found = np.zeros((len(ids), budget + 1), np.bool_)
    place = pd.Series(np.arange(len(ids)), index=ids)
    found[place[trace["image_id"]].to_numpy(), trace["step"].to_numpy(np.int64)] = trace["right"]
    return found


def tabulate_fmr_settings(
    searches: list[str], checks: list[str], outputs: Mapping[str, str]
) -> None:
    """Write the tables of settings and of steps."""
    prefix = prefix_of(read_checks(checks))
    found, steps = [], []
    for path in searches:
        ((key, records),) = read_searches([path]).items()
        trace = pd.read_parquet(Path(path).with_name("trace.parquet"))
        found += settings_rows(key, records, trace, prefix)
        steps += step_rows(key, records, trace)
    write_table(outputs["settings"], found, columns(prefix))
    write_table(outputs["steps"], steps, STEPS)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_fmr_settings(
            list(snakemake.input.searches),
            list(snakemake.input.checks),
            {"settings": snakemake.output.settings, "steps": snakemake.output.steps},
        )
