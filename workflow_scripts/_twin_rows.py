"""Rows of defended models against their undefended twins, on the same clean images."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from robusteval.intervals import wilson
from robusteval.metrics._twins import both_right, check_class_lists
from robusteval.metrics.cav import cav
from robusteval.metrics.ccv import ccv
from robusteval.metrics.cos import cos, divergence
from robusteval.metrics.crr import crr
from robusteval.metrics.csr import csr
from robusteval.records import OK, Records
from robusteval.scores._logits import log_softmax
from workflow_scripts._spread import HIGH, LOW, mean_with_interval
from workflow_scripts._tables import percent

CAV, CRR = "cav_pct_points_higher_better", "crr_pct_higher_better"
CSR, CCV = "csr_pct_lower_better", "ccv_pct_points_lower_better"
COS = "cos_nats_0_to_ln_2_lower_better"
COLUMNS = ["model", "twin", "n", CAV, "cav_bootstrap95_low", "cav_bootstrap95_high"]
COLUMNS += [CRR, "crr_wilson95_low_pct", "crr_wilson95_high_pct"]
COLUMNS += [CSR, "csr_wilson95_low_pct", "csr_wilson95_high_pct", "n_both_right"]
COLUMNS += [CCV, "ccv_bootstrap95_low", "ccv_bootstrap95_high"]
COLUMNS += [COS, "cos_bootstrap95_low", "cos_bootstrap95_high", "status"]

Row = dict[str, Any]


def twin_rows(
    twins: Mapping[str, str], clean: Mapping[str, Records], classes: Mapping[str, Sequence[str]]
) -> Iterator[Row]:
    """Yield a row for each defended model.

    Raises:
        ValueError: it has another class list than its twin; the message names both.
    """
    for model, twin in twins.items():
        try:
            check_class_lists(classes[twin], classes[model])
        except ValueError as error:
            raise ValueError(f"{model} and its twin {twin}: {error}") from error
        row = {"model": model, "twin": twin}
        bad = [f"{m}: {clean[m].status}" for m in (model, twin) if clean[m].status != OK]
        if bad:
            yield {**row, "n": 0, "status": bad[0]}
            continue
        yield {**row, **_held_against(clean[twin], clean[model], model, twin), "status": OK}


def _held_against(plain: Records, defended: Records, *names: str) -> Row:
    """Return the five numbers of a pair, with intervals."""
    ids = [r.frame["image_id"].to_numpy() for r in (plain, defended)]
    assert np.array_equal(*ids), names
    label = plain.frame["label"].to_numpy()
    said, other = (r.frame["prediction"].to_numpy() for r in (plain, defended))
    p, q = (np.exp(log_softmax(r.logits)) for r in (plain, defended))
    n = len(label)
    gained = (other == label).astype(np.float64) - (said == label)
    found: Row = {"n": n, CAV: percent(cav(label, said, other))}
    found |= _ends(100 * gained, "cav", *names)
    for name, column, rate in (
        ("crr", CRR, crr(label, said, other)),
        ("csr", CSR, csr(label, said, other)),
    ):
        low, high = wilson(round(rate * n), n)
        found |= {column: percent(rate), f"{name}_wilson95_low_pct": percent(low)}
        found[f"{name}_wilson95_high_pct"] = percent(high)
    y, mine, theirs = both_right(label, p, q)
    found["n_both_right"] = len(y)
    if len(y):
        rows = np.arange(len(y))
        found[CCV] = percent(ccv(label, p, q))
        found |= _ends(100 * np.abs(mine[rows, y] - theirs[rows, y]), "ccv", *names)
        found[COS] = round(cos(label, p, q), 6)
        found |= _ends(divergence(mine, theirs), "cos", *names)
    return found


def _ends(values: np.ndarray, name: str, *key: str) -> Row:
    """Return the ends of the interval of a mean as columns."""
    found = mean_with_interval(values, name, *key)
    return {f"{name}_{end}": found[end] for end in (LOW, HIGH)}
