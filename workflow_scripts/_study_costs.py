"""Passes and bytes of a study, from its config file and the catalogue."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from robusteval.costs import COUNTING, NOTHING, Cost, cost_of, exact
from workflow_scripts._catalogue import classes_of, view_of
from workflow_scripts._counts import count_of, count_of_set
from workflow_scripts._framework_costs import covering
from workflow_scripts._score_checks import feature_scores
from workflow_scripts._search_costs import judging, searched_images, searched_models, searching
from workflow_scripts._study import image_sets_of

PARTS = (
    "cells",
    "features",
    "attacks",
    "transfer",
    "storage",
    "probes",
    "readings",
    "coverage",
    "searches",
    "oracles",
    "training",
)
UNCOUNTED = ("readings", "oracles", "training")  # no record says afterwards how many they were
STORAGES = 2  # in which adversarial images are read again: uint8 and float16
LINE = 24  # bytes of a row of records beside its logits: id, label, condition, prediction
Study = Mapping[str, Any]
Costs = dict[str, dict[str, Cost]]
"""By network and part."""


def costs_of(study: Study, catalogue: Study) -> Costs:
    """Return the passes of each network, by part: of models first, then of those they need.

    Those are members of oracles, generators, and models that others wrap. They are the passes of a
    study from nothing: networks and images that others have left behind are not taken off.
    """
    costs = {model: _measured(model, study, catalogue) for model in study["models"]}
    for network, cost in judging(study, catalogue).items():
        own = costs.setdefault(network, dict.fromkeys(PARTS, NOTHING))
        own["oracles"] = own["oracles"].plus(cost)
    wrapped = [catalogue["models"][model].get("wraps") for model in study["models"]]
    for model in filter(None, wrapped):
        costs.setdefault(model, dict.fromkeys(PARTS, NOTHING))
    for network, parts in costs.items():
        parts["training"] = _training(network, catalogue)
    return costs


def _measured(model: str, study: Study, catalogue: Study) -> dict[str, Cost]:
    """Return the passes that measure a model, by part."""
    classes = classes_in(model, catalogue)
    made = list(_attacked(study, catalogue, classes))
    attacked, models = sum(n for n, _ in made), len(study["models"])
    probed = list(_probed(study, catalogue, classes))
    evaluated = searched_models(study)
    left = searched_images(study, catalogue)
    found = sum(n for test, n in left if "images" not in catalogue["tests"][test])
    cells = sum(n for _, n in _cells(study, catalogue))
    return dict.fromkeys(PARTS, NOTHING) | {
        "cells": exact(cells),
        "features": exact(study["features"]["count"] if feature_scores(study) else 0),
        "attacks": total(cost for _, cost in made),
        "transfer": exact(attacked * models + found * len(evaluated)),
        "storage": exact(attacked * STORAGES),
        "probes": total(c for p, c in probed if p in COUNTING),
        "readings": total(c for p, c in probed if p not in COUNTING),
        "coverage": exact(covering(model, study, catalogue)),
        "searches": searching(study, catalogue) if model in evaluated else NOTHING,
    }


def classes_in(model: str, catalogue: Study) -> int:
    """Return the number of classes of a model."""
    from robusteval.images._class_lists import class_list

    classes = classes_of(catalogue["models"][model], catalogue)
    return len(class_list(classes)) if isinstance(classes, str) else len(classes)


def disk_of(study: Study, catalogue: Study) -> float:
    """Return the bytes of images, adversarial images, records and scores, at most."""
    views = {view_of(catalogue["models"][model]): model for model in study["models"]}
    size = 0.0
    for model in views.values():
        pixels = _pixels(model, study, catalogue)
        for images in image_sets_of(study, catalogue):
            size += pixels * catalogue["images"][images].get("count", 0)
        stored = study.get("store_corrupted", True)
        for test, n in _cells(study, catalogue):
            kind = catalogue["tests"][test]["kind"]
            size += pixels * n * (kind == "unrecognisable" or (kind == "corrupt" and stored))
    for model in study["models"]:
        classes = classes_in(model, catalogue)
        attacked = sum(n for n, _ in _attacked(study, catalogue, classes))
        asked = sum(n for _, n in _cells(study, catalogue))
        transferred = attacked * len(study["models"])
        size += 4 * _pixels(model, study, catalogue) * attacked
        # What is said of transferred images is kept by source, too.
        rows = asked + 2 * transferred + STORAGES * attacked
        size += rows * (4 * classes + LINE)
        size += (asked + attacked) * (8 * len(study.get("scores", ["max_softmax"])) + LINE)
        found = sum(n for _, n in searched_images(study, catalogue))
        if model in searched_models(study):
            size += _pixels(model, study, catalogue) * found
        size += found * len(searched_models(study)) * (4 * classes + LINE)
    return size


def _cells(study: Study, catalogue: Study) -> Iterator[tuple[str, int]]:
    """Yield the tests whose images are not made against a model, and how many images each has."""
    from robusteval.corruptions._severities import severities
    from robusteval.perturbations._sequences import frames_of

    for test in study["tests"]:
        entry, n = catalogue["tests"][test], count_of(test, study, catalogue)
        match entry["kind"]:
            case "clean":
                yield test, n
            case "corrupt":
                yield test, n * len(entry["sets"]) * len(severities(entry["family"]))
            case "perturbed":
                frames = (frames_of(kind, family=entry["family"]) for kind in entry["sets"])
                yield test, n * sum(frames)
            case "novel" | "shifted":
                yield test, sum(count_of_set(s, test, study, catalogue) for s in entry["sets"])
            case "unrecognisable":
                yield test, n * len(entry["sets"])


def _attacked(study: Study, catalogue: Study, classes: int) -> Iterator[tuple[int, Cost]]:
    """Yield, for each attack, how many images it makes and what they cost."""
    for test in study["tests"]:
        entry = catalogue["tests"][test]
        if entry["kind"] == "adversarial":
            n = count_of(test, study, catalogue)
            conditions = entry["conditions"].values()
            costs = (cost_of("attacks", entry["attack"], c, classes).times(n) for c in conditions)
            yield n * len(conditions), total(costs)


def _probed(study: Study, catalogue: Study, classes: int) -> Iterator[tuple[str, Cost]]:
    """Yield the probe of each condition and what its images cost."""
    for test in study["tests"]:
        entry = catalogue["tests"][test]
        if entry["kind"] == "probe":
            n = count_of(test, study, catalogue)
            for settings in entry["conditions"].values():
                cost = cost_of("probes", entry["probe"], settings, classes)
                yield entry["probe"], cost.times(n)


def _training(network: str, catalogue: Study) -> Cost:
    """Return the passes of a network's training; those of a generator encode and decode."""
    if network in catalogue["generators"]:
        recipe = catalogue["generators"][network].get("training")
        return exact(*2 * [2 * recipe["epochs"] * recipe["count"]]) if recipe else NOTHING
    entry = catalogue["models"].get(network, {})
    own = "training" in entry and "wraps" not in entry
    return _trained(entry["training"], catalogue) if own else NOTHING


def _trained(recipe: Study, catalogue: Study) -> Cost:
    """Return the passes of a recipe; methods that look for images take more steps."""
    import inspect

    from robusteval import plugins

    method = inspect.signature(plugins.load("training", recipe["method"])).parameters
    steps = recipe["method_arguments"].get("steps", getattr(method.get("steps"), "default", 0))
    images = recipe["count"] + recipe.get("searched", {}).get("count", 0)  # if all are valid
    passes = recipe["epochs"] * images * (1 + steps)
    tested = catalogue["images"][recipe["tested_on"]].get("count", 0)
    return exact(passes + tested, passes)


def _pixels(model: str, study: Study, catalogue: Study) -> int:
    """Return the bytes of an image, uint8, in the view of a model."""
    entry = catalogue["models"][model]
    view = catalogue["views"][view_of(entry)]
    shape = catalogue["images"][study["images"]].get("shape")
    if "size" not in view and shape:
        return int(shape[0] * shape[1] * shape[2])
    side = view.get("size", entry.get("size", 224))
    return int(side * side * len(entry.get("mean", [0, 0, 0])))


def total(costs: Iterable[Cost]) -> Cost:
    result = NOTHING
    for cost in costs:
        result = result.plus(cost)
    return result
