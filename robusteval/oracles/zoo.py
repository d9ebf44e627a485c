"""Several oracles with one voice."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from robusteval.oracles._oracle import Oracle

RULES = ("all", "majority", "mean")


def zoo(members: Sequence[Oracle], *, rule: str = "majority") -> Oracle:
    """Return the ``members`` as one oracle that accepts a label by ``rule``.

    all: every member predicts it. majority: more than half of them do; a tie accepts nothing.
    mean: the mean of their probabilities is largest at it. The probabilities of the zoo are that
    mean, and for the other rules the shares of votes. No source says which rule the published
    method has; the default is this project's.

    Raises:
        ValueError: there is no member, or no such rule.
    """
    if not members:
        raise ValueError("a zoo without members: expected at least one oracle")
    if rule not in RULES:
        raise ValueError(f"rule {rule!r}: one of {', '.join(RULES)} expected")
    return _Zoo(members, rule).eval()


class _Zoo(Oracle):
    def __init__(self, members: Sequence[Oracle], rule: str) -> None:
        super().__init__()
        self.members, self.rule = nn.ModuleList(members), rule

    def probabilities(self, images: Tensor) -> Tensor:
        found = torch.stack([member(images) for member in self.members])
        if self.rule == "mean":
            return found.mean(0)
        return F.one_hot(found.argmax(2), found.shape[2]).sum(0) / len(found)

    def agrees(self, probabilities: Tensor, labels: Tensor) -> Tensor:
        if self.rule == "mean":
            return super().agrees(probabilities, labels)
        # Votes, as their shares are rounded.
        votes = (probabilities.gather(1, labels[:, None])[:, 0] * len(self.members)).round()
        if self.rule == "all":
            return votes == len(self.members)
        return 2 * votes > len(self.members)
