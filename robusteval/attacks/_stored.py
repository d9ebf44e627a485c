"""Adversarial images as they come back from a storage of lower precision."""

from collections.abc import Callable

from torch import Tensor


def as_uint8(images: Tensor) -> Tensor:
    """Return ``images`` (N, C, H, W), float32 in [0, 1], rounded to 256 levels, still float32."""
    return (images * 255).round() / 255


def as_float16(images: Tensor) -> Tensor:
    """Return ``images`` (N, C, H, W), float32 in [0, 1], rounded to float16, still float32.

    Between 0.5 and 1 its steps are 2^-11, an eighth of a grey level; they shrink with the value.
    """
    return images.half().float()


STORED: dict[str, Callable[[Tensor], Tensor]] = {"uint8": as_uint8, "float16": as_float16}
