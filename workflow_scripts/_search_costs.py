"""Passes of searches in latent spaces: of the models searched, of generators and of oracles."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from robusteval.costs import NOTHING, Cost, exact
from workflow_scripts._catalogue import view_of
from workflow_scripts._counts import count_of
from workflow_scripts._searched_study import searches_of

# How much of its budget a search uses as a rule; it ends at the first image that the oracle
# rejects, and there is nothing to search where that is the round trip. The mean over the 64 images,
# three networks and four conditions with an oracle of config/demo.yaml. With a better generator, or
# smaller steps, it is more.
USED = 0.6
BUDGET = 50  # steps, if a condition does not say
Study = Mapping[str, Any]


def searched_models(study: Study) -> list[str]:
    """Return the models that searched tests evaluate."""
    return list(study.get("searched_models", study["models"]))


def searched_images(study: Study, catalogue: Study) -> Iterator[tuple[str, int]]:
    """Yield, for each searched test, how many images a search of it leaves against a model."""
    for test, entry in searches_of(study, catalogue).items():
        yield test, count_of(test, study, catalogue) * (1 + len(entry["conditions"]))


def searching(study: Study, catalogue: Study) -> Cost:
    """Return the passes of one searched model: those of searches, and of verdicts after them."""
    cost = NOTHING
    for test, entry in searches_of(study, catalogue).items():
        n = count_of(test, study, catalogue)
        cost = cost.plus(exact(_judged(test, study, catalogue)))
        for values in entry["conditions"].values():
            cost = cost.plus(_tries(values).times(n))
    return cost


def judging(study: Study, catalogue: Study) -> dict[str, Cost]:
    """Return the passes of generators and of the members of oracles, by network.

    An encoding and a decoding are a pass each. Members are asked without a gradient.
    """
    costs: dict[str, Cost] = defaultdict(lambda: NOTHING)
    evaluated = searched_models(study)
    views = len({view_of(catalogue["models"][model]) for model in evaluated})
    for test, entry in searches_of(study, catalogue).items():
        n = count_of(test, study, catalogue)
        checked = max(n, 0 if "images" in entry else study["counts"]["clean"]) + n
        accepted = exact(_judged(test, study, catalogue))
        generated = NOTHING
        sources = {values["sparse"]["of"] for values in _sparse(entry)}
        for condition, values in entry["conditions"].items():
            tries = _tries(values).times(n)
            generated = generated.plus(tries).plus(exact(n * (1 + (condition in sources))))
            if values.get("oracle", True):
                accepted = accepted.plus(Cost(tries.forwards_most, 0, tries.forwards, 0))
        for member in members_of(catalogue, entry["oracle"]):
            whole = accepted.times(len(evaluated)).plus(exact(views * checked))
            costs[member] = costs[member].plus(whole)
        for member in members_of(catalogue, entry["judges"]) if "judges" in entry else []:
            whole = exact(_judged(test, study, catalogue) * len(evaluated))
            costs[member] = costs[member].plus(whole)
        whole = generated.times(len(evaluated)).plus(exact(views * 2 * n))
        costs[entry["generator"]] = costs[entry["generator"]].plus(whole)
    return dict(costs)


def members_of(catalogue: Study, oracle: str) -> list[str]:
    """Return the members of an oracle: ids of models, and names of open_clip."""
    members = catalogue["oracles"][oracle]["members"]
    return [member.get("model") or member["open_clip"] for member in members]


def _judged(test: str, study: Study, catalogue: Study) -> int:
    """Return how many stored images get a verdict: originals, round trips, what was found."""
    conditions = catalogue["tests"][test]["conditions"]
    return int(count_of(test, study, catalogue) * (2 + len(conditions)))


def _tries(values: Study) -> Cost:
    """Return the passes of an image under a condition; the last image takes no step."""
    budget = values.get("budget", BUDGET)
    if not values.get("oracle", True):
        return exact(budget + 1, budget)
    return Cost(budget + 1, budget, 1 + USED * budget, USED * budget)


def _sparse(entry: Study) -> list[Study]:
    return [values for values in entry["conditions"].values() if "sparse" in values]
