"""What an image costs, in passes of a model, before an attack or a probe is run on it.

Most are known from the settings alone. A search that leaves an image as soon as it has what it
looks for has a bound; how much of it is used depends on the model.
"""

from robusteval._attack_costs import ATTACKS
from robusteval._cost import NOTHING, Cost, Settings, defaults_of, exact
from robusteval._probe_costs import COUNTING, PROBES

__all__ = ["ATTACKS", "COUNTING", "NOTHING", "PROBES", "Cost", "cost_of", "exact"]


def cost_of(package: str, item: str, settings: Settings, classes: int) -> Cost:
    """Return the cost of an image under an attack or a probe with these settings.

    ``settings`` are those of one condition; what they leave out has its default. ``classes`` is
    the number of logits.

    Raises:
        ValueError: there is no such item, or its cost is not known here.
    """
    known = ATTACKS if package == "attacks" else PROBES
    if item not in known:
        kind = package.removesuffix("s")
        raise ValueError(f"the cost of {kind} {item!r} is not known in robusteval/_{kind}_costs.py")
    given = defaults_of(package, item) | dict(settings)
    return known[item](given, classes)
