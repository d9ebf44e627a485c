"""Gates: what must hold before FMR says something, each with its figure."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from robusteval.metrics._searched import difference
from robusteval.records import OK
from robusteval.seeds import generator
from workflow_scripts._fmr import Searches, verdicts_of

COLUMNS = ["gate", "what", "test", "model", "figure", "bar", "holds"]
Row = Mapping[str, Any]
NOBODY = "not measured"
ABOVE = "points of FMR in a random direction above FMR"
SEEDS = 3
MARGIN, TIMES, VR, LOSS, KEPT, SEARCHED, AGREE = 2, 5, 90, 3, 95, 30, 90  # percent and points


def gates(
    oracles: list[dict[str, Any]],
    fmr: list[dict[str, Any]],
    columns: Mapping[str, str],
    searches: Searches,
    methods: Mapping[str, list[str]],
) -> Iterator[dict[str, Any]]:
    """Yield a row for each gate, test and, where it is of one, model.

    The bars are this project's. The first condition of a test is the one that is measured; its
    controls are a random direction and a search without an oracle. ``methods`` are models that
    differ in their seed only.
    """
    tuned = {row["test"] for row in fmr} - {row["test"] for row in oracles if "best_model" in row}
    for oracle in oracles:
        if (test := oracle["test"]) in tuned:
            continue
        asked = {row["model"] for row in fmr if row["test"] == test}
        of = [row for row in fmr if row["test"] == test and row["status"] == OK]
        first = {
            m: next(r for r in of if r["model"] == m) for m in dict.fromkeys(r["model"] for r in of)
        }
        found = [*_of_oracle(oracle, first, columns), *_of_search(of, first, columns)]
        found += _of_choice(oracle, fmr, tuned, first, columns, methods)
        what = "scores, valid images and accepted steps printed, models"
        found += [_row("7", what, len(first), len(asked)), _order(test, first, searches)]
        yield from ({"test": test, **row} for row in found)


def _of_oracle(oracle: Row, first: Mapping[str, Row], columns: Mapping[str, str]) -> Iterator[Row]:
    yield _row("1", "oracle above the best model, points", oracle["margin_points"], MARGIN)
    own, theirs = (oracle[f"training_images_of_{k}"] for k in ("oracle", "models_at_most"))
    times = round(own / theirs, 2) if own and theirs else None
    yield _row("1", "training images of the oracle, times those of the models", times, TIMES)
    rate = [row[columns["vr"]] for row in first.values()]
    yield _row("2", "VR, percent", min(rate, default=None), VR)
    accuracy = oracle["accuracy_pct_higher_better"]
    lost = round(accuracy - min(rate), 2) if rate else None
    yield _row("2", "VR below the oracle's accuracy, points", lost, LOSS, most=True)
    spread = round(max(rate) - min(rate), 2) if rate else None
    yield _row(
        "VR", "spread of VR over models, points: it is theirs who judge", spread, 0, most=True
    )
    again = sum(row["valid_but_rejected_on_reload"] for row in first.values())
    yield _row("valid", "valid images that the oracle rejects on reload", again, 0, most=True)


def _of_search(
    of: list[dict[str, Any]], first: Mapping[str, Row], columns: Mapping[str, str]
) -> Iterator[Row]:
    """Yield what holds of each model's search, and the worth of its direction over all models.

    A model that withstands every search has no distance to a random direction, which is no fault of
    the search: its own row says "no", the mean says whether the search does anything.
    """
    above: list[float | None] = []
    for model, row in first.items():
        before, after = row[columns["sa_valid"]], row[columns["pa_0"]]
        kept = round(100 * after / before, 2) if before and after is not None else None
        yield _row("3", "PA_0 over SA on valid images, percent", kept, KEPT, model)
        controls = {r["control"]: r for r in of if r["model"] == model and r["control"]}
        other, own = controls.get("random direction", {}).get(columns["fmr"]), row[columns["fmr"]]
        above.append(None if other is None or own is None else round(other - own, 2))
        yield _row("4", ABOVE, above[-1], SEARCHED, model)
        free = controls.get("no oracle", {}).get("oracle_accepts_last_image_pct")
        bar = row[columns["vr"]] / 2
        yield _row("4", "accepted of a search without oracle, percent", free, bar, model, most=True)
        agree = row.get("judges_agree_on_valid_pct")
        yield _row("5", "judges that agree on valid images, percent", agree, AGREE, model)
    known = [points for points in above if points is not None]
    more = round(float(np.mean(known)), 2) if known and len(known) == len(above) else None
    yield _row("4", f"{ABOVE}, mean over models", more, SEARCHED)


def _of_choice(
    oracle: Row,
    fmr: list[dict[str, Any]],
    tuned: set[str],
    first: Mapping[str, Row],
    columns: Mapping[str, str],
    methods: Mapping[str, list[str]],
) -> Iterator[Row]:
    """Yield whether the settings are those of the lowest mean FMR on training images; the seeds.

    Searches by another rule, or that may move a part of the latents only, are other searches.
    """
    own = next(iter(first.values()), {})
    tried: dict[tuple[float, int], list[float]] = {}
    for row in fmr:
        same = all(row[key] == oracle[key] for key in ("generator", "oracle"))
        same &= all(row.get(key) == own.get(key) for key in ("step", "latents_that_may_move_pct"))
        value = row.get(columns["fmr"])
        if row["test"] in tuned and same and not row["control"] and value is not None:
            tried.setdefault((row["step_size"], row["budget"]), []).append(value)
    chosen = min(tried, key=lambda key: np.mean(tried[key])) if tried else None
    here = (own["step_size"], own["budget"]) if own else None
    what = "step size, budget of the lowest mean FMR on training images"
    yield {
        "gate": "6",
        "what": what,
        "figure": "" if chosen is None else f"{chosen[0]:g}, {chosen[1]}",
        "bar": "" if here is None else f"{here[0]:g}, {here[1]}",
        "holds": NOBODY if chosen is None else _word(chosen == here),
    }
    groups = [sum(m in first for m in models) for models in methods.values()]
    # A model that shares its method with no other is one seed of it.
    groups += [1] * len(first.keys() - {m for models in methods.values() for m in models})
    seeds = min((count for count in groups if count), default=1)
    yield _row("6", "seeds of each method", seeds, SEEDS)


def _order(test: str, first: Mapping[str, Row], searches: Searches) -> Row:
    """Return how many neighbours, by FMR on valid images, differ by more than chance.

    By the paired bootstrap of the difference; where it holds 0, no order is to be reported.
    """
    known = {
        model: verdicts_of(searches[model, test].frame, str(row["condition"]))
        for model, row in first.items()
    }
    ranked = sorted(known, key=lambda m: _fmr_valid(first[m]))
    apart = 0
    for a, b in pairwise(ranked):
        _, low, high = difference(
            "fmr_valid", known[a], known[b], generator(0, "fmr_gates", test, a, b)
        )
        apart += bool(low > 0 or high < 0)
    return {
        "gate": "6",
        "what": "neighbours in order whose FMR on valid images differs by more than chance",
        "figure": f"{apart} of {max(len(ranked) - 1, 0)}",
        "bar": "all, to report the order",
        "holds": _word(apart == len(ranked) - 1),
    }


def _fmr_valid(row: Row) -> float:
    found = next(v for k, v in row.items() if k.endswith("fmr_valid_pct_higher_better"))
    return -1.0 if found is None else float(found)


def _row(
    gate: str,
    what: str,
    figure: float | None,
    bar: float,
    model: str = "all",
    *,
    most: bool = False,
) -> dict[str, Any]:
    """Return a row: the bar is the least that ``figure`` may be, or the ``most``."""
    reached = None if figure is None else figure <= bar if most else figure >= bar
    holds = NOBODY if reached is None else _word(reached)
    words = f"at {'most' if most else 'least'} {bar:g}"
    return {
        "gate": gate,
        "what": what,
        "model": model,
        "figure": figure,
        "bar": words,
        "holds": holds,
    }


def _word(holds: bool) -> str:
    return "yes" if holds else "no"
