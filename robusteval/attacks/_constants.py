"""The search for the smallest constant c that makes an image adversarial, slot by slot.

Carlini-Wagner and elastic-net attacks minimise distance + c * hinge. They do so once for each of
several constants: ten times larger until one works, then halfway between the largest that did not
and the smallest that did.
"""

import torch
from torch import Tensor

from robusteval.attacks._goal import State

PROGRESS = 0.999
STIFF = 2.0  # in the last search, times the smallest constant that worked


def begin(state: State, initial: float) -> State:
    """Return ``state`` with the first constant: c and what is known of it, (W,) each."""
    zeros = torch.zeros_like(state["label"])
    c = torch.full_like(zeros, initial, dtype=torch.float32)
    return state | {
        "c": c,
        "low": torch.zeros_like(c),
        "high": c + torch.inf,
        "round": zeros,  # constants done
        "polishing": zeros.bool(),  # whether this is the last one, which begins at the best image
        "t": zeros,  # steps done with this one
        "found": zeros.bool(),  # whether this one works
        "loss": c + torch.inf,  # what was last progress
        "stale": zeros,  # steps without progress since
    }


def watched(state: State, loss: Tensor, good: Tensor) -> State:
    """Return ``state`` after an iterate of ``loss`` (W,) that may be ``good`` enough (W,)."""
    progress = loss <= PROGRESS * state["loss"]
    return state | {
        "found": state["found"] | good,
        "loss": torch.where(progress, loss, state["loss"]),
        "stale": torch.where(progress, 0, state["stale"] + 1),
    }


def over(state: State, steps: int, patience: int, polish: int) -> Tensor:
    """Return which slots (W,) are done with their constant: all steps, or no progress."""
    polishing = state["polishing"]
    spent = state["t"] >= torch.where(polishing, polish, steps)
    return spent | ((state["stale"] >= patience) & ~polishing)


def advanced(state: State, done: Tensor, searches: int, polish: int) -> State:
    """Return ``state`` with the next constant in the slots that are ``done`` (W,) with theirs.

    With ``polish``, the last of the ``searches`` takes the smallest constant that worked.
    """
    c, worked, failed = state["c"], done & state["found"], done & ~state["found"]
    high = torch.where(worked, torch.minimum(state["high"], c), state["high"])
    low = torch.where(failed, torch.maximum(state["low"], c), state["low"])
    following = torch.where(high.isinf(), 10 * c, (low + high) / 2)
    rounds = state["round"] + done
    polishing = (rounds == searches - 1) & ~high.isinf() & (polish > 0)
    following = torch.where(polishing, STIFF * high, following)
    return state | {
        "c": torch.where(done, following, c),
        "low": low,
        "high": high,
        "round": rounds,
        "polishing": polishing,
        "t": state["t"].masked_fill(done, 0),
        "found": state["found"] & ~done,
        "loss": state["loss"].masked_fill(done, torch.inf),
        "stale": state["stale"].masked_fill(done, 0),
    }


def check(
    *, kappa: float, steps: int, searches: int, initial_const: float, patience: int, polish: int
) -> None:
    """Raise ValueError where a parameter of a constant search is out of range."""
    if not (kappa >= 0 and initial_const > 0):
        raise ValueError(
            f"kappa {kappa}, initial_const {initial_const}: at least 0 and more than 0 expected"
        )
    if not (steps >= 1 and searches >= 1 and patience >= 1):
        raise ValueError(
            f"steps {steps}, searches {searches}, patience {patience}: at least 1 each expected"
        )
    if not polish >= 0:
        raise ValueError(f"polish {polish}: at least 0 expected, 0 for none")
