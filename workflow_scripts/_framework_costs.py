"""Passes of the evaluation framework: neurons profiled once, and what each image set hits."""

from collections.abc import Iterator, Mapping
from typing import Any

from robusteval.corruptions._severities import severities
from workflow_scripts._counts import count_of
from workflow_scripts._framework import profile_of

Study = Mapping[str, Any]


def covering(model: str, study: Study, catalogue: Study) -> int:
    """Return the forward passes that say what image sets hit of a model's neurons."""
    if "framework" not in study:
        return 0
    profiled, count, _ = profile_of(model, study, catalogue)
    ranges = count or catalogue["images"][profiled].get("count", 0)
    most = study["framework"]["images"]
    return int(ranges + sum(times * min(n, most) for times, n in _sets(study, catalogue)))


def _sets(study: Study, catalogue: Study) -> Iterator[tuple[int, int]]:
    """Yield how many sets there are of a test, and of how many images; each is counted apart."""
    images = catalogue["images"]
    for test in study["tests"]:
        entry, n = catalogue["tests"][test], count_of(test, study, catalogue)
        match entry["kind"]:
            case "clean":
                yield 1, images[study["images"]].get("count", n)
            case "corrupt":
                # Streamed ones are not there to be looked at.
                if study.get("store_corrupted", True) or entry["source"] == "published":
                    yield len(entry["sets"]) * len(severities(entry["family"])), n
            case "novel":
                for name in entry["sets"]:
                    yield 1, images[name].get("count", n)
            case "unrecognisable":
                yield len(entry["sets"]), n
            case "adversarial":
                yield len(entry["conditions"]), n
