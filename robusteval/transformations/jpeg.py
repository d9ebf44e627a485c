"""JPEG: images written and read again, which rounds small changes away."""

import torch
from torch import Tensor

from robusteval.batches import as_tensor
from robusteval.corruptions.jpeg_compression import jpeg_compression
from robusteval.transformations._blocks import compressed

NUMBERS = 0  # nothing is drawn


def jpeg(images: Tensor, numbers: Tensor, *, quality: int = 75) -> Tensor:
    """Return ``images`` (N, C, H, W) rounded to 8 bits, written as JPEG by Pillow and read again.

    Raises:
        ValueError: the ``quality`` is not from 1 to 95.

    Source: Dziugaite, Ghahramani, Roy, "A study of the effect of JPG compression on adversarial
        images", 2016, arXiv 1608.00853; quality 75 as there.
    """
    _check(quality)
    pixels = (images.detach().clamp(0, 1) * 255).round().to(torch.uint8).cpu()
    written = jpeg_compression(pixels.permute(0, 2, 3, 1).numpy(), quality, ())
    return as_tensor(written).to(images.device)


def smooth(images: Tensor, numbers: Tensor, *, quality: int = 75) -> Tensor:
    """Return nearly what `jpeg` does, with a slope, as its rounding of coefficients has one.

    Source: Shin and Song, "JPEG-resistant adversarial images", 2017: x - (x - round(x)) + (x -
        round(x))^3 in place of round(x).
    """
    _check(quality)
    return compressed(images, quality, _nearly_round)


def _nearly_round(values: Tensor) -> Tensor:
    whole = values.detach().round()
    return whole + (values - whole) ** 3


def _check(quality: int) -> None:
    if not 1 <= quality <= 95:
        raise ValueError(f"quality {quality}: from 1 to 95 expected")
