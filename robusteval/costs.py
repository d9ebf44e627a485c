"""What an image costs, in passes of a model, before an attack or a probe is run on it.

Most are known from the settings alone. A search that leaves an image as soon as it has what it
looks for has a bound; how much of it is used depends on the model.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Settings = Mapping[str, Any]


@dataclass(frozen=True)
class Cost:
    """Passes of an image: at most, and as a rule."""

    forwards_most: float
    backwards_most: float
    forwards: float
    backwards: float

    def times(self, count: float) -> "Cost":
        """Return the cost of ``count`` images."""
        return Cost(*(count * value for value in vars(self).values()))

    def plus(self, other: "Cost") -> "Cost":
        """Return the cost of both."""
        return Cost(
            *(a + b for a, b in zip(vars(self).values(), vars(other).values(), strict=True))
        )


NOTHING = Cost(0, 0, 0, 0)

# How much of their bounds searches use as a rule, forward and backward, without a target and with
# one: the mean over 64 images (32 of AutoAttack) of Fashion-MNIST and six small networks, one of
# them trained adversarially. A robust model costs more, up to the bound, a fragile one less.
USED: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "ifgsm_search": ((0.42, 0.45), (0.55, 0.58)),
    "cw_l2": ((0.66, 0.32), (0.80, 0.54)),
    "ead": ((0.50, 0.23), (0.65, 0.39)),
    "square": ((0.60, 1.0), (0.60, 1.0)),
    "autoattack": ((0.14, 0.20), (0.14, 0.20)),
    "pgd": ((1.0, 1.0), (1.0, 1.0)),  # with early_stop, not measured
}
RIGHT = 0.9  # of images, as a rule; CLEVER samples nothing around one that a model gets wrong


def exact(forwards: float, backwards: float = 0) -> Cost:
    """Return a cost that does not depend on the model."""
    return Cost(forwards, backwards, forwards, backwards)


def cost_of(package: str, item: str, settings: Settings, classes: int) -> Cost:
    """Return the cost of an image under an attack or a probe with these settings.

    ``settings`` are those of one condition; what they leave out has its default. ``classes`` is
    the number of logits.

    Raises:
        ValueError: there is no such item, or its cost is not known here.
    """
    known = ATTACKS if package == "attacks" else PROBES
    if item not in known:
        raise ValueError(f"the cost of {package[:-1]} {item!r} is not known in robusteval/costs.py")
    given = _defaults(package, item) | dict(settings)
    return known[item](given, classes)


def _defaults(package: str, item: str) -> dict[str, Any]:
    """Return the defaults of an item's settings."""
    import inspect

    from robusteval import plugins

    parameters = inspect.signature(plugins.load(package, item)).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def _aimed(given: Settings) -> int:
    """Return 1 if a target has to be found, which takes a forward pass."""
    return int(isinstance(given.get("target"), str))


def _used(attack: str, given: Settings, forwards: float, backwards: float) -> Cost:
    """Return the cost of a search with these bounds."""
    f, b = USED[attack][_aimed(given)]
    return Cost(forwards, backwards, f * forwards, b * backwards)


def _steps(given: Settings, classes: int) -> Cost:
    return exact(given["steps"] + 1 + _aimed(given), given["steps"])


def _fgsm(given: Settings, classes: int) -> Cost:
    return exact(2 + _aimed(given), 1)


def _pgd(given: Settings, classes: int) -> Cost:
    whole = _steps(given, classes)
    if not given.get("early_stop"):
        return whole
    return _used("pgd", given, whole.forwards, whole.backwards)


def _ifgsm_search(given: Settings, classes: int) -> Cost:
    steps, attempts = given["steps"], given["attempts"]
    again = attempts - 1 if given["warm_start"] else 0
    forwards = 1 + attempts * steps + again + _aimed(given)
    backwards = 1 + attempts * (steps - 1) + again
    if not given["early_stop"]:
        return exact(forwards, backwards)
    return _used("ifgsm_search", given, forwards, backwards)


def _cw_l2(given: Settings, classes: int) -> Cost:
    steps = given["searches"] * given["steps"]
    return _used("cw_l2", given, 1 + steps + _aimed(given), steps)


def _ead(given: Settings, classes: int) -> Cost:
    steps = given["searches"] * given["steps"]
    return _used("ead", given, 2 * steps + _aimed(given), steps)


def _square(given: Settings, classes: int) -> Cost:
    return _used("square", given, given["queries"] + 1 + _aimed(given), 0)


def _autoattack(given: Settings, classes: int) -> Cost:
    steps, targets = given["steps"], given["target_classes"]
    forwards = (1 + targets) * (steps + 5) + 2 * targets * steps + given["queries"] + 3
    return _used("autoattack", given, forwards, (1 + targets) * (steps + 1) + targets * steps)


def _clever(given: Settings, classes: int) -> Cost:
    points = given["samples"] * given["pool" if given["sampling"] == "art" else "batches"]
    targets = [given["target"]] if isinstance(given["target"], str) else given["target"]
    others = classes - 1 if "untargeted" in targets else min(len(targets), classes - 1)
    return Cost(1 + points, points * others, 1 + RIGHT * points, RIGHT * points * others)


def _ebd(given: Settings, classes: int) -> Cost:
    sides = [given["sides"]] if isinstance(given["sides"], str) else given["sides"]
    rays = given["directions"] * (2 if "two" in sides else 1)
    most = 1 + rays * (given["magnitudes"] - 1)
    # A scan ends at the nearest crossing, bisecting looks at most rays once; not measured.
    return Cost(most, 0, (most + 1) / 2 if given["search"] == "scan" else 1 + 1.1 * rays, 0)


def _ebd_2(given: Settings, classes: int) -> Cost:
    walks = classes if given["per_class"] else 1
    most = walks * (given["steps"] + 2)  # half of it is a guess
    return Cost(most, walks * given["steps"], most / 2, walks * given["steps"] / 2)


def _noisy(given: Settings, classes: int) -> Cost:
    return exact(2 * len(given["noises"]))


def _once(given: Settings, classes: int) -> Cost:
    return exact(1)


ATTACKS: dict[str, Callable[[Settings, int], Cost]] = {
    "autoattack": _autoattack,
    "confident": _steps,
    "cw_l2": _cw_l2,
    "ead": _ead,
    "fgsm": _fgsm,
    "ifgsm": _steps,
    "ifgsm_search": _ifgsm_search,
    "mi_fgsm": _steps,
    "pgd": _pgd,
    "square": _square,
}
PROBES: dict[str, Callable[[Settings, int], Cost]] = {
    "clever": _clever,
    "ebd": _ebd,
    "ebd_2": _ebd_2,
    "neuron_sensitivity": _noisy,
    "neuron_uncertainty": _once,
    "noise_insensitivity": _noisy,
}
