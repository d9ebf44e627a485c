"""What an attack wants: any other class or a certain one, and the loss that leads there."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

LOSSES = ("cross_entropy", "logit", "margin")
TARGETS = ("random", "least_likely", "runner_up")

State = dict[str, Tensor]


@dataclass(frozen=True)
class Goal:
    """Any class but the label (no ``target``), or the class that ``target`` names.

    Attributes:
        target: None, one of `TARGETS` (see `robusteval.attacks._targets.chosen`), or the classes
            themselves (N,), int64.
        loss: cross_entropy of the logits; logit, that of the label (or target) alone, as in the
            code released with Su et al. 2018; margin, see `margin`.
        tie_tolerance: a target counts as reached where its logit is within this of the largest
            (Su et al.'s code: 0.001). The verdict on reload knows no such rule.

    Raises:
        ValueError: a value is not one of those.
    """

    target: str | Tensor | None = None
    loss: str = "cross_entropy"
    tie_tolerance: float = 0.0

    def __post_init__(self) -> None:
        if isinstance(self.target, str) and self.target not in TARGETS:
            raise ValueError(f"target {self.target!r}: one of {', '.join(TARGETS)} expected")
        if self.loss not in LOSSES:
            raise ValueError(f"loss {self.loss!r}: one of {', '.join(LOSSES)} expected")
        if not self.tie_tolerance >= 0:
            raise ValueError(f"tie_tolerance {self.tie_tolerance}: at least 0 expected")

    @property
    def targeted(self) -> bool:
        """Whether there is a certain class to reach."""
        return self.target is not None

    def reached(self, logits: Tensor, state: State) -> Tensor:
        """Return which slots (W,) are there, given ``logits`` (W, K)."""
        if not self.targeted:
            return logits.argmax(1) != state["label"]
        there = logits.argmax(1) == state["target"]
        if self.tie_tolerance:
            near = _of(logits, state["target"]) >= logits.amax(1) - self.tie_tolerance
            there = there | near
        return there

    def margin(self, logits: Tensor, state: State) -> Tensor:
        """Return the largest logit of the other classes minus the label's, (W,).

        With a target: its logit minus the largest of the others. More than 0 is success, 0 is the
        decision boundary.
        """
        rival = state["target"] if self.targeted else state["label"]
        others = logits.scatter(1, rival[:, None], -torch.inf).amax(1)
        margin = others - _of(logits, rival)
        return -margin if self.targeted else margin

    def margins(self, logits: Tensor, state: State) -> Tensor:
        """Return the `margin` (W, m) of each of m images a slot, given ``logits`` (W, m, K)."""
        width, each = logits.shape[:2]
        own = {key: state[key].repeat_interleave(each) for key in ("label", "target")}
        return self.margin(logits.flatten(0, 1), own).view(width, each)

    def climbed(self, logits: Tensor, state: State) -> Tensor:
        """Return what is to be made larger, (W,): the loss, or minus the loss of a target."""
        if self.loss == "margin":
            return self.margin(logits, state)
        wanted = state["target"] if self.targeted else state["label"]
        if self.loss == "logit":
            value = -_of(logits, wanted)
        else:
            value = F.cross_entropy(logits, wanted, reduction="none")
        return -value if self.targeted else value


ANY_OTHER = Goal()


def _of(logits: Tensor, classes: Tensor) -> Tensor:
    """Return the logit (W,) of each slot's class, from ``logits`` (W, K)."""
    return logits.gather(1, classes[:, None]).squeeze(1)
