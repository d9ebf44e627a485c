"""What every attack returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # tables read the codes, and torch takes longer than they do
    from torch import Tensor

FINE, ZERO_GRADIENT, NOT_FINITE = 0, 1, 2
"""Codes of `Adversarials.odd`; of two, the larger one stands.

    0  nothing odd
    1  a gradient that was needed was 0 at every pixel: masked gradients are likely
    2  a step led to NaN: the search ended there
"""

UNTARGETED = -1


@dataclass(frozen=True)
class Adversarials:
    """The final images of an attack and what each of them cost; N images, all tensors on the CPU.

    Attributes:
        images: (N, C, H, W), float32 in [0, 1]; a failed attack keeps its last iterate.
        steps: (N,), int64, updates of the image.
        forwards: (N,), int64, forward passes; the ones behind ``success`` and ``target`` count too.
        backwards: (N,), int64, backward passes.
        success: (N,), bool, whether the attack saw another prediction than the label, or, if it
            has a target, that one. The verdict that counts is made from the saved images, by the
            model that reads them again.
        target: (N,), int64, the class to be reached; -1 if any but the label will do.
        odd: (N,), int64, a code for what was odd about an image's search, 0 if nothing.
    """

    images: Tensor
    steps: Tensor
    forwards: Tensor
    backwards: Tensor
    success: Tensor
    target: Tensor
    odd: Tensor
