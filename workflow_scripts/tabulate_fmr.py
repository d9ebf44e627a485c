"""Tabulate oracles, accuracy after searches, FMR, and whether the figures may be believed."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from robusteval.attacks._adversarials import NOT_FINITE, ZERO_GRADIENT
from robusteval.metrics._searched import SCORES, Verdicts, estimates, intervals
from robusteval.records import OK, Records
from robusteval.seeds import generator
from workflow_scripts._fmr import (
    Searches,
    conditions_of,
    control_of,
    head_of,
    part,
    prefix_of,
    read_checks,
    read_searches,
    search_costs,
    verdicts_of,
)
from workflow_scripts._fmr_gates import COLUMNS as GATES
from workflow_scripts._fmr_gates import gates
from workflow_scripts._searching import ORIGINAL, ROUND_TRIP
from workflow_scripts._tables import percent, rate_with_interval, write_table

BETTER = "pct_higher_better"
ACCURACY, AGREEMENT = f"accuracy_{BETTER}", f"agreement_on_round_trips_{BETTER}"
ORACLES = ["test", "oracle", "judged_by", "members", "generator", "adapter", "latent_rms", "n"]
ORACLES += [ACCURACY, "wilson95_low_pct", "wilson95_high_pct", "round_trips_n", AGREEMENT]
ORACLES += ["round_trips_wilson95_low_pct", "round_trips_wilson95_high_pct"]
ORACLES += ["best_model", "best_model_accuracy_pct", "margin_points", "training_images_of_oracle"]
ORACLES += ["training_images_of_models_at_most"]


def oracle_rows(checks: Mapping[str, Records]) -> Iterator[dict[str, Any]]:
    """Yield a row for each test: how good its oracle is beside the models that it judges."""
    for test, records in checks.items():
        about = records.settings
        row = {"test": test, **{k: about[k] for k in ("oracle", "judged_by", "generator")}}
        row |= {"members": " ".join(about["members"]), "adapter": about["adapter"] or "none"}
        row["latent_rms"] = about["latent_rms"]
        rates = []
        for condition, name in ((ORIGINAL, ACCURACY), (ROUND_TRIP, AGREEMENT)):
            accepted = part(records.frame, condition)["accepted"]
            rates.append((len(accepted), float(accepted.mean()), name))
        (n, own, name), (m, agreement, other) = rates
        row |= {"n": n, **rate_with_interval(own, n, name), "round_trips_n": m}
        found = rate_with_interval(agreement, m, other)
        row |= {(k if k == other else f"round_trips_{k}"): v for k, v in found.items()}
        seen = about["seen"]
        judges = [seen[m] for m in about["members"] if seen.get(m)]
        models = [seen[m] for m in about["models"] if seen.get(m)]  # judges of the oracle are none
        row["training_images_of_oracle"] = min(judges, default=None)
        row["training_images_of_models_at_most"] = max(models, default=None)
        if theirs := about["models"]:
            best = max(theirs, key=lambda model: theirs[model])
            row |= {"best_model": best, "best_model_accuracy_pct": percent(theirs[best])}
            row["margin_points"] = round(100 * (own - theirs[best]), 2)
        yield row


def columns_of(prefix: str) -> dict[str, str]:
    """Return the column of each score; ratios to be called oracle-relative have a ``prefix``."""
    return {name: f"{head_of(name, prefix)}_{BETTER}" for name in SCORES}


def rows(
    searches: Searches, checks: Mapping[str, Records], errors: Mapping[str, float], prefix: str
) -> Iterator[dict[str, Any]]:
    """Yield a row for each model, test and condition; ``errors`` are on corrupted images."""
    for (model, test), records in searches.items():
        about = checks[test].settings
        row = {"model": model, "test": test}
        row |= {key: about[key] for key in ("generator", "oracle", "judged_by")}
        if model in errors:
            row["mean_corruption_error_pct_lower_better"] = errors[model]
        for condition, values in conditions_of(records).items():
            own = {**row, "condition": condition, "control": control_of(values)}
            own |= {"step": values.get("step", "sign"), "step_size": values["step_size"]}
            own |= {"budget": values.get("budget", 50)}
            if records.status != OK:
                yield {**own, "n": 0, "status": records.status}
                continue
            known = verdicts_of(records.frame, condition)
            own |= _scores(known, (model, test, condition), prefix)
            own |= search_costs(records.frame, records.settings["kept"], condition)
            own |= _costs(part(records.frame, condition), own["budget"])
            if values.get("oracle", True):
                own["valid_but_rejected_on_reload"] = _rejected(part(records.frame, condition))
            yield {**own, "status": OK}


def _scores(known: Verdicts, key: tuple[str, ...], prefix: str) -> dict[str, Any]:
    """Return every score with its paired bootstrap interval, in percent; empty where undefined."""
    draws = generator(0, "tabulate_fmr", *key)
    spread = intervals(known, draws)
    values: dict[str, Any] = {"n": len(known.valid), "valid_n": int(known.valid.sum())}
    for name, column in columns_of(prefix).items():
        found = (estimates(known)[name], *spread[name])
        for suffix, value in zip(("", "_low_pct", "_high_pct"), found, strict=True):
            key_ = column if not suffix else f"{name}_bootstrap95{suffix}"
            values[key_] = None if np.isnan(value) else percent(value)
    return values


def _costs(found: pd.DataFrame, budget: int) -> dict[str, Any]:
    """Return how far the searches of a condition went, and what is odd about them."""
    valid, steps = found["valid"], found.loc[found["valid"], "steps"]
    values = {
        "oracle_accepts_last_image_pct": percent(found["accepted"].mean()),
        "zero_gradient_images": int((found["odd"] == ZERO_GRADIENT).sum()),
        "not_finite_images": int((found["odd"] == NOT_FINITE).sum()),
    }
    if "judged" in found and valid.any():
        values["judges_agree_on_valid_pct"] = percent(found.loc[valid, "judged"].mean())
    if len(steps):
        values["accepted_steps_quartiles"] = " ".join(
            f"{steps.quantile(q):g}" for q in (0.25, 0.5, 0.75)
        )
        values["reached_budget_pct"] = percent((steps == budget).mean())
    return values


def _rejected(found: pd.DataFrame) -> int:
    """Return how many valid images the oracle rejects as they are stored: none, or a mistake."""
    return int((found["valid"] & ~found["accepted"]).sum())


def columns(prefix: str) -> list[str]:
    """Return the columns of the table of FMR."""
    found = ["model", "test", "generator", "oracle", "judged_by", "condition", "control", "step"]
    found += ["step_size", "budget", "latents_that_may_move_pct", "n", "valid_n"]
    for name, column in columns_of(prefix).items():
        found += [column, f"{name}_bootstrap95_low_pct", f"{name}_bootstrap95_high_pct"]
    found += ["accepted_steps_mean", "accepted_steps_quartiles", "reached_budget_pct"]
    found += ["judged_images_per_image", "oracle_accepts_last_image_pct"]
    found += ["judges_agree_on_valid_pct", "valid_but_rejected_on_reload"]
    found += ["zero_gradient_images", "not_finite_images"]
    return [*found, "mean_corruption_error_pct_lower_better", "status"]


def tabulate_fmr(
    searches: list[str],
    checks: list[str],
    corruption: list[str],
    methods: Mapping[str, list[str]],
    outputs: Mapping[str, str],
) -> None:
    """Write the tables of oracles, of FMR and of its gates."""
    found, judged = read_searches(searches), read_checks(checks)
    prefix = prefix_of(judged)
    errors = _errors(corruption)
    write_table(outputs["oracles"], oracle_rows(judged), ORACLES)
    table = list(rows(found, judged, errors, prefix))
    write_table(outputs["fmr"], table, columns(prefix))
    held = gates(list(oracle_rows(judged)), table, columns_of(prefix), found, methods)
    write_table(outputs["gates"], held, GATES)


def _errors(corruption: list[str]) -> dict[str, float]:
    """Return each model's mean error, from the table of it, if there is one: of its first part.

    That is the same test and corruptions for all; a model without that number has none.
    """
    if not corruption:
        return {}
    frame = pd.read_csv(corruption[0]).dropna(subset=["mean_error_pct_lower_better"])
    for key in ("test", "part"):
        frame = frame[frame[key] == frame[key].iloc[0]] if len(frame) else frame
    first = frame.set_index("model")["mean_error_pct_lower_better"]
    return {str(model): float(value) for model, value in first.items()}


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_fmr(
            list(snakemake.input.searches),
            list(snakemake.input.checks),
            list(snakemake.input.corruption),
            snakemake.params.methods,
            {
                "oracles": snakemake.output.oracles,
                "fmr": snakemake.output.fmr,
                "gates": snakemake.output.gates,
            },
        )
