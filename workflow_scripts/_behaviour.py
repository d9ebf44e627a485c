"""Rows of what a model does under attacks, one a setting, and over all settings of a kind."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.intervals import normal
from robusteval.metrics.acac import acac
from robusteval.metrics.actc import actc
from robusteval.metrics.nte import nte
from robusteval.records import Records
from robusteval.scores._logits import log_softmax
from workflow_scripts._goals import reached
from workflow_scripts._tables import percent, rate_with_interval

ACCURACY = "adversarial_accuracy_pct_higher_better"
CONFIDENCES = {
    "acac": "acac_pct_of_successes_lower_better",
    "actc": "actc_pct_of_successes_higher_better",
    "nte": "nte_pct_of_successes_lower_better",
}
ENDS = ("normal95_low_pct", "normal95_high_pct")
COLUMNS = ["model", "access", "attack", "condition", "goal", "n", ACCURACY]
COLUMNS += ["wilson95_low_pct", "wilson95_high_pct", *ENDS, "successes_of_right_before"]
for _name, _column in CONFIDENCES.items():
    COLUMNS += [_column, *(f"{_name}_{end}" for end in ENDS)]
COLUMNS += ["status"]
MEAN, WORST, EVERY = "mean over settings", "worst setting", "every setting, image by image"

Row = dict[str, Any]


@dataclass(frozen=True)
class Setting:
    """A condition of an attack: its row, and by image id whether the model stays right."""

    row: Row
    right: Mapping[int, bool]


def settings_of(
    row: Row, cell: Records, goals: Mapping[str, str], right_before: set[int]
) -> Iterator[Setting]:
    """Yield what a model does under each condition of an attack made against itself."""
    for condition, part in cell.frame.groupby("condition", sort=False):
        n, label = len(part), part["label"].to_numpy()
        right = part["prediction"].to_numpy() == label
        known = part["image_id"].isin(right_before).to_numpy()
        success = reached(part) & known
        about = {**row, "condition": condition, "goal": goals[str(condition)], "n": n}
        about |= rate_with_interval(float(right.mean()), n, ACCURACY)
        about["successes_of_right_before"] = int(success.sum())
        if success.any():
            logits = cell.logits[part.index.to_numpy()]
            about |= _confidences(np.exp(log_softmax(logits)), label, success)
        yield Setting(about, dict(zip(part["image_id"].tolist(), right.tolist(), strict=True)))


def _confidences(
    probability: NDArray[np.float64], label: NDArray[np.int64], success: NDArray[np.bool_]
) -> Row:
    """Return how sure the model is of its successes' classes, with intervals."""
    rows = np.arange(int(success.sum()))
    ordered = np.sort(probability[success], axis=1)
    by_image = {
        "acac": ordered[:, -1],
        "actc": probability[success][rows, label[success]],
        "nte": ordered[:, -1] - ordered[:, -2],
    }
    means = {
        "acac": acac(probability, success),
        "actc": actc(probability, label, success),
        "nte": nte(probability, success),
    }
    found: Row = {}
    for name, column in CONFIDENCES.items():
        found[column] = percent(means[name])
        ends = zip(ENDS, normal(by_image[name]), strict=True)
        found |= {f"{name}_{end}": percent(value) for end, value in ends}
    return found


def summaries(settings: list[Setting], about: Row) -> Iterator[Row]:
    """Yield mean and worst case over ``settings``, on the images that all of them have."""
    if not settings:
        return
    common = sorted(set.intersection(*(set(s.right) for s in settings)))
    right = np.array([[s.right[i] for i in common] for s in settings])  # settings x images
    n, rates = len(common), right.mean(1)
    worst = int(rates.argmin())
    names = f"{len(settings)} settings"
    by_image = right.mean(0)
    mean = {ACCURACY: percent(float(by_image.mean()))}
    # An image's share of settings is no yes or no, which is what Wilson's interval is of.
    mean |= {end: percent(value) for end, value in zip(ENDS, normal(by_image), strict=True)}
    successes = [s.row["successes_of_right_before"] for s in settings]
    about = {**about, "n": n, "successes_of_right_before": sum(successes), "status": "ok"}
    yield {**about, "attack": MEAN, "condition": names, **mean}
    named = ", ".join(str(settings[worst].row[key]) for key in ("attack", "condition"))
    yield {
        **about,
        "attack": WORST,
        "condition": named,
        "successes_of_right_before": successes[worst],
        **rate_with_interval(float(rates[worst]), n, ACCURACY),
    }
    every = float(right.all(0).mean())
    yield {**about, "attack": EVERY, "condition": names, **rate_with_interval(every, n, ACCURACY)}
