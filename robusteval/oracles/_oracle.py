"""What every oracle can do: class probabilities of a batch, and whether a label is accepted."""

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from robusteval.batches import WIDTH, fixed_width, padded
from robusteval.models._errors import ModelError


class Oracle(nn.Module, ABC):
    """Says what an image shows. Images are float32 (N, C, H, W) in [0, 1].

    In evaluation mode each image is treated by itself.
    """

    @abstractmethod
    def probabilities(self, images: Tensor) -> Tensor:
        """Return the class probabilities (N, K) of ``images`` (N, C, H, W)."""

    def forward(self, images: Tensor) -> Tensor:
        """Return the class probabilities (N, K) of ``images``.

        Raises:
            ModelError: they are not N x K finite numbers.
        """
        found = self.probabilities(images)
        if found.ndim != 2 or len(found) != len(images) or not found.isfinite().all():
            raise ModelError(
                f"the oracle returned {tuple(found.shape)} for {len(images)} images, or numbers "
                "that are not finite: finite probabilities (N, K) expected"
            )
        return found

    def agrees(self, probabilities: Tensor, labels: Tensor) -> Tensor:
        """Return where (N,) the ``probabilities`` (N, K) are largest at ``labels`` (N,).

        The first of equally large ones counts.
        """
        return probabilities.argmax(1) == labels

    def accepted(self, probabilities: Tensor, labels: Tensor) -> Tensor:
        """Return where (N,) images of these ``probabilities`` (N, K) still show their ``labels``.

        Raises:
            ModelError: a label is beyond the oracle's classes.
        """
        if len(labels) and int(labels.max()) >= probabilities.shape[1]:
            raise ModelError(
                f"label {int(labels.max())}, but the oracle knows {probabilities.shape[1]} "
                "classes: give it the classes of the images"
            )
        return self.agrees(probabilities, labels)

    def accepts(self, images: Tensor, labels: Tensor) -> Tensor:
        """Return where (N,) ``images`` (N, C, H, W) still show their ``labels`` (N,).

        Raises:
            ModelError: as `forward` and `accepted`.
        """
        return self.accepted(self(images), labels)


@torch.inference_mode()
def judged(
    oracle: Oracle, images: Tensor, labels: Tensor, *, batch_size: int = WIDTH
) -> tuple[Tensor, Tensor]:
    """Return what ``oracle`` makes of images: probabilities (N, K) and acceptances (N,).

    Passes have one fixed width, that of the search, so that both agree to the bit.
    """
    width = fixed_width(batch_size, images.device)
    found = torch.cat(
        [oracle(padded(part, width))[: len(part)] for part in torch.split(images, width)]
    )
    return found, oracle.accepted(found, labels)
