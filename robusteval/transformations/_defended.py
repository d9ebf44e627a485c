"""A model that sees its images transformed, and the gradient that adaptive attacks have of it."""

from collections.abc import Mapping
from hashlib import sha256
from importlib import import_module
from typing import Any

import torch
from torch import Tensor, nn

from robusteval import plugins
from robusteval.seeds import generator

GRADIENTS = ("through", "around")


class Defended(nn.Module):
    """``network`` behind a transformation, a file of robusteval/transformations.

    What it says of an image is always the same: where the transformation is
    random, its draws follow from the image's own pixels, so that neither batch nor order matters
    and a saved image gets the verdict that the attack saw.

    Its gradient is that of an adaptive attack: that of the network at the transformed image, taken
    back ``through`` the transformation, by its smooth stand-in if it has one, or ``around`` it, as
    if it did nothing (backward pass differentiable approximation). Of a random transformation it is
    the mean over ``draws`` other draws of the same image (expectation over transformation), weighed
    by the slope of the loss at the logits that the model gives.

    Args:
        network: maps images (N, C, H, W) in [0, 1] to logits, in evaluation mode.
        transformation: a file of robusteval/transformations.
        gradient: through or around.
        arguments: of the transformation.
        draws: over which the gradient of a random transformation is averaged.

    Raises:
        ValueError: a value is not one of those, or there is nothing to average over.

    Source: Athalye, Carlini, Wagner, "Obfuscated gradients give a false sense of security", ICML
        2018, arXiv 1802.00420, sections 4.1 (around) and 4.2 (averages).
    """

    def __init__(
        self,
        network: nn.Module,
        *,
        transformation: str,
        gradient: str,
        arguments: Mapping[str, Any] | None = None,
        draws: int = 1,
    ) -> None:
        super().__init__()
        if gradient not in GRADIENTS:
            raise ValueError(f"gradient {gradient!r}: one of {', '.join(GRADIENTS)} expected")
        self.network = network
        self._exact = plugins.load("transformations", transformation)
        module = import_module(f"robusteval.transformations.{transformation}")
        self._smooth = getattr(module, "smooth", self._exact)
        self._numbers: int = module.NUMBERS
        if draws < 1 or (draws > 1 and not self._numbers):
            raise ValueError(
                f"draws {draws}: 1 expected, as {transformation} draws nothing"
                if draws > 1
                else f"draws {draws}: at least 1 expected"
            )
        self._arguments, self._around, self._draws = (
            dict(arguments or {}),
            gradient == "around",
            draws,
        )

    def forward(self, images: Tensor) -> Tensor:
        """Return logits (N, K) of ``images`` (N, C, H, W)."""
        attacked = torch.is_grad_enabled() and images.requires_grad
        numbers = _numbers(images, 1 + attacked * self._draws, self._numbers)
        if attacked and not self._numbers:
            return self._says(self._seen(images, numbers[0]))
        with torch.set_grad_enabled(torch.is_grad_enabled() and not attacked):
            verdict = self._says(self._exact(images, numbers[0], **self._arguments))
        if not attacked:
            return verdict
        drawn = [self._says(self._seen(images, own)) for own in numbers[1:]]
        return _with_value(torch.stack(drawn).mean(0), verdict)

    def _says(self, images: Tensor) -> Tensor:
        logits: Tensor = self.network(images)
        return logits

    def _seen(self, images: Tensor, numbers: Tensor) -> Tensor:
        """Return what the network sees, with the gradient that is to be taken."""
        with torch.no_grad():
            exact: Tensor = self._exact(images, numbers, **self._arguments)
        if not self._around:
            return _with_value(self._smooth(images, numbers, **self._arguments), exact)
        if exact.shape != images.shape:
            raise ValueError(
                f"images of {tuple(images.shape[1:])} become {tuple(exact.shape[1:])}: no gradient "
                "leads around that; gradient: through expected"
            )
        return _with_value(images, exact)


def _numbers(images: Tensor, draws: int, each: int) -> Tensor:
    """Return random numbers in [0, 1) that follow from each image, (draws, N, each)."""
    if not each:
        return torch.zeros(draws, len(images), 0, device=images.device)
    pixels = images.detach().float().cpu().contiguous().numpy()
    keys = [sha256(image.tobytes()).hexdigest() for image in pixels]
    drawn = [torch.from_numpy(generator("transformed", key).random((draws, each))) for key in keys]
    return torch.stack(drawn, 1).to(images.device)


def _with_value(slope: Tensor, value: Tensor) -> Tensor:
    """Return ``value`` to the bit, with the gradient of ``slope``."""
    result: Tensor = _Value.apply(slope, value)
    return result


class _Value(torch.autograd.Function):
    """The second argument forwards, the first one backwards."""

    @staticmethod
    def forward(ctx: Any, slope: Tensor, value: Tensor) -> Tensor:
        return value.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return gradients[0], None
