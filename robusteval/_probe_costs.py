"""What an image costs under each probe, in passes of a model."""

from collections.abc import Callable, Mapping
from typing import Any

from robusteval._attack_costs import ATTACKS
from robusteval._cost import Cost, Settings, defaults_of, exact

# Of their bounds, over the six networks of config/demo.yaml and its 8 images of ebd, 64 of ebd_2. A
# robust network comes nearer to the bound.
SCANNED = 0.3
STEPPED = (0.28, 0.25)  # forward and backward
RIGHT = 0.9  # of images, as a rule; CLEVER samples nothing around one that a model gets wrong


def _clever(given: Settings, classes: int) -> Cost:
    points = given["samples"] * given["pool" if given["sampling"] == "art" else "batches"]
    targets = [given["target"]] if isinstance(given["target"], str) else given["target"]
    others = classes - 1 if "untargeted" in targets else min(len(targets), classes - 1)
    return Cost(1 + points, points * others, 1 + RIGHT * points, RIGHT * points * others)


def _ebd(given: Settings, classes: int) -> Cost:
    sides = [given["sides"]] if isinstance(given["sides"], str) else given["sides"]
    rays = given["directions"] * (2 if "two" in sides else 1)
    most = 1 + rays * (given["magnitudes"] - 1)
    # A scan ends at the nearest crossing. Bisecting looks at most rays once; 1.1 is not measured.
    return Cost(most, 0, SCANNED * most if given["search"] == "scan" else 1 + 1.1 * rays, 0)


def _ebd_2(given: Settings, classes: int) -> Cost:
    walks = classes if given["per_class"] else 1
    forwards, backwards = walks * (given["steps"] + 2), walks * given["steps"]
    return Cost(forwards, backwards, STEPPED[0] * forwards, STEPPED[1] * backwards)


def _noisy(given: Settings, classes: int, *, reads: int = 1) -> Cost:
    """Return the cost of the image itself, and of ``reads`` passes and an attack a noise."""
    cost = exact(1)
    for noise in given["noises"].values():
        cost = cost.plus(exact(reads))
        if noise["kind"] == "attack":
            cost = cost.plus(_attacked(noise, classes))
    return cost


def _attacked(noise: Mapping[str, Any], classes: int) -> Cost:
    name = noise["name"]
    settings = {key: value for key, value in noise.items() if key not in ("kind", "name")}
    return ATTACKS[name](defaults_of("attacks", name) | settings, classes)


def _sensitivity(given: Settings, classes: int) -> Cost:
    return _noisy(given, classes, reads=2)  # the image is looked at beside each copy


def _twice(given: Settings, classes: int) -> Cost:
    return exact(2)


PROBES: dict[str, Callable[[Settings, int], Cost]] = {
    "clever": _clever,
    "ebd": _ebd,
    "ebd_2": _ebd_2,
    "neuron_sensitivity": _sensitivity,
    "neuron_uncertainty": _twice,
    "noise_insensitivity": _noisy,
}
COUNTING = ("clever", "ebd", "ebd_2")  # image by image; the others cannot vary
