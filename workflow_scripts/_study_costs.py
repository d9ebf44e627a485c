"""Passes and bytes of a study, from its config file and the catalogue."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from robusteval.costs import NOTHING, Cost, cost_of, exact
from workflow_scripts._catalogue import classes_of, view_of
from workflow_scripts._counts import count_of
from workflow_scripts._study import image_sets_of

PARTS = ("cells", "attacks", "transfer", "storage", "probes", "training")
STORAGES = 2  # in which adversarial images are read again: uint8 and float16
LINE = 24  # bytes of a row of records beside its logits: id, label, condition, prediction
Study = Mapping[str, Any]
Costs = dict[str, dict[str, Cost]]
"""By model and part."""


def costs_of(study: Study, catalogue: Study) -> Costs:
    """Return the passes that each model makes, by part.

    Those of a study from nothing: models and images that others have left behind are not taken off.
    """
    classes = {model: classes_in(model, catalogue) for model in study["models"]}
    made = {model: list(_attacked(study, catalogue, classes[model])) for model in study["models"]}
    attacked = sum(n for n, _ in made[study["models"][0]])
    return {
        model: {
            "cells": exact(sum(n for _, n in _cells(study, catalogue))),
            "attacks": total(cost for _, cost in made[model]),
            "transfer": exact(attacked * len(study["models"])),
            "storage": exact(attacked * STORAGES),
            "probes": total(_probed(study, catalogue, classes[model])),
            "training": _trained(catalogue["models"][model], catalogue),
        }
        for model in study["models"]
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
            case "novel" | "shifted" | "unrecognisable":
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


def _probed(study: Study, catalogue: Study, classes: int) -> Iterator[Cost]:
    for test in study["tests"]:
        entry = catalogue["tests"][test]
        if entry["kind"] == "probe":
            n = count_of(test, study, catalogue)
            for settings in entry["conditions"].values():
                yield cost_of("probes", entry["probe"], settings, classes).times(n)


def _trained(entry: Study, catalogue: Study) -> Cost:
    """Return the passes of a model's training; methods that look for images take more steps."""
    if "training" not in entry:
        return NOTHING
    import inspect

    from robusteval import plugins

    recipe = entry["training"]
    method = inspect.signature(plugins.load("training", recipe["method"])).parameters
    steps = recipe["method_arguments"].get("steps", getattr(method.get("steps"), "default", 0))
    passes = recipe["epochs"] * recipe["count"] * (1 + steps)
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
