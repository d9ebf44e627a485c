"""What every attack returns."""

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Adversarials:
    """The final images of an attack and what each of them cost; N images, all tensors on the CPU.

    Attributes:
        images: (N, C, H, W), float32 in [0, 1]; a failed attack keeps its last iterate.
        steps: (N,), int64, updates of the image.
        forwards: (N,), int64, forward passes; the one behind ``success`` counts too.
        backwards: (N,), int64, backward passes.
        success: (N,), bool, whether the attack saw another prediction than the label. The verdict
            that counts is made from the saved images, by the model that reads them again.
    """

    images: Tensor
    steps: Tensor
    forwards: Tensor
    backwards: Tensor
    success: Tensor
