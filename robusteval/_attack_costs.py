"""What an image costs under each attack, in passes of a model."""

from collections.abc import Callable

from robusteval._cost import Cost, Settings, exact

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
    # Of 16 images and short settings: 10 steps of 33 queries, 15 of 21, 200 queries of a walk. Of
    # more steps a smaller share goes by before an image is done.
    "spsa": ((0.63, 1.0), (0.63, 1.0)),
    "nattack": ((0.64, 1.0), (0.64, 1.0)),
    "boundary": ((0.85, 1.0), (0.85, 1.0)),
    "boundary_eps": ((0.81, 1.0), (0.81, 1.0)),
}
DEEPFOOL = 5  # steps until an image is wrong: 5.3 of at most 50, 5.1 of at most 10; 16 images


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


def _deepfool(given: Settings, classes: int) -> Cost:
    rivals = min(given["candidates"], classes) - 1
    most, steps = given["steps"], min(given["steps"], DEEPFOOL)
    return Cost(most + 1, most * rivals, steps + 1, steps * rivals)


def _nattack(given: Settings, classes: int) -> Cost:
    queries = given["steps"] * (given["population"] + 1)
    return _used("nattack", given, 1 + queries + _aimed(given), 0)


def _spsa(given: Settings, classes: int) -> Cost:
    queries = given["steps"] * (2 * given["samples"] + 1)
    return _used("spsa", given, 1 + queries + _aimed(given), 0)


def _boundary(given: Settings, classes: int) -> Cost:
    near = given["eps"] is not None  # an image in the ball is looked at last
    return _used("boundary_eps" if near else "boundary", given, given["queries"] + 1 + near, 0)


def _square(given: Settings, classes: int) -> Cost:
    return _used("square", given, given["queries"] + 1 + _aimed(given), 0)


def _autoattack(given: Settings, classes: int) -> Cost:
    steps, targets = given["steps"], given["target_classes"]
    forwards = (1 + targets) * (steps + 5) + 2 * targets * steps + given["queries"] + 3
    return _used("autoattack", given, forwards, (1 + targets) * (steps + 1) + targets * steps)


ATTACKS: dict[str, Callable[[Settings, int], Cost]] = {
    "autoattack": _autoattack,
    "boundary": _boundary,
    "confident": _steps,
    "cw_l2": _cw_l2,
    "deepfool": _deepfool,
    "ead": _ead,
    "fgsm": _fgsm,
    "ifgsm": _steps,
    "ifgsm_search": _ifgsm_search,
    "mi_fgsm": _steps,
    "nattack": _nattack,
    "pgd": _pgd,
    "pgd_l1": _pgd,
    "spsa": _spsa,
    "square": _square,
}
