"""The baseline that mCE divides by: a model of the study, or one whose errors were published."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from robusteval.metrics.accuracy import accuracy
from robusteval.metrics.mean_corruption_error import mean_corruption_error
from robusteval.metrics.relative_mean_corruption_error import relative_mean_corruption_error
from robusteval.published.corruption_errors import SEVERITIES, CorruptionErrors
from robusteval.records import OK, Records
from workflow_scripts._tables import percent

Errors = Mapping[str, np.ndarray]
"""Errors (S,) by corruption."""


@dataclass(frozen=True)
class Baseline:
    """What mCE divides by; of published errors only the mean over severities is known."""

    errors: Errors
    clean: float
    means_only: bool = False


def relation(frame: pd.DataFrame, clean: float, base: Baseline, name: str) -> dict[str, Any]:
    """Return mCE and relative mCE over what the baseline has too, as columns.

    Neither has a value where one of the corruptions leaves the baseline without an error or, for
    the relative one, its error where it was: those are named.
    """
    errors = {c: e for c, e in errors_of(frame).items() if c in base.errors}
    if not errors:
        return {"corruptions_in_mce": 0, "status": f"baseline {name}: has none of these"}
    if base.means_only:
        errors = {c: np.array([e.mean()]) for c, e in errors.items()}
    theirs = {c: base.errors[c] for c in errors}
    return {
        "corruptions_in_mce": len(errors),
        "no_mce_for": ", ".join(c for c, e in theirs.items() if e.sum() <= 0),
        "no_relative_mce_for": ", ".join(
            c for c, e in theirs.items() if (e - base.clean).sum() <= 0
        ),
        "mce_pct_lower_better": defined(mean_corruption_error, errors, theirs),
        "relative_mce_pct_lower_better": defined(
            relative_mean_corruption_error, errors, clean, theirs, base.clean
        ),
    }


def of_study(corrupt: Records, clean: Records) -> Baseline:
    """Return a model of the study as the baseline.

    Raises:
        ValueError: one of its cells failed; the message is the reason.
    """
    for records in (corrupt, clean):
        if records.status != OK:
            raise ValueError(records.status)
    return Baseline(errors_of(corrupt.frame), clean_error(corrupt, clean))


def of_published(published: CorruptionErrors, records: Records, family: str | None) -> Baseline:
    """Return published errors as the baseline of ``records``.

    Raises:
        ValueError: they were published for another family or number of severities.
    """
    if family not in (None, published.release):
        raise ValueError(f"published for {published.release}, the test has {family}")
    if other := {len(e) for e in errors_of(records.frame).values()} - {SEVERITIES}:
        raise ValueError(f"a mean over {SEVERITIES} severities, the test has {min(other)}")
    base = {name: np.array([value]) for name, value in published.errors.items()}
    return Baseline(base, published.clean, means_only=True)


def defined(metric: Callable[..., float], *values: Any) -> float:
    """Return a metric in percent, or NaN where it has none: a baseline that a corruption spares."""
    try:
        return percent(metric(*values))
    except ValueError:
        return float("nan")


def errors_of(frame: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return the errors (S,) of each corruption, by severity."""
    wrong = frame["prediction"] != frame["label"]
    table = wrong.groupby([frame["condition"], frame["severity"]]).mean()
    return {str(name): part.to_numpy() for name, part in table.groupby(level=0, sort=False)}


def clean_error(corrupt: Records, clean: Records) -> float:
    """Return the error on the clean images that ``corrupt`` was made from."""
    same = clean.frame[clean.frame["image_id"].isin(corrupt.frame["image_id"])]
    return 1 - accuracy(same["label"].to_numpy(), same["prediction"].to_numpy())
