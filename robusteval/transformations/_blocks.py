"""JPEG in tensors: blocks of 8 x 8 cosines, their coefficients rounded, and back."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

SIDE = 8
# The tables of the standard, annex K, as all common encoders scale them by quality.
LUMINANCE = (
    (16, 11, 10, 16, 24, 40, 51, 61),
    (12, 12, 14, 19, 26, 58, 60, 55),
    (14, 13, 16, 24, 40, 57, 69, 56),
    (14, 17, 22, 29, 51, 87, 80, 62),
    (18, 22, 37, 56, 68, 109, 103, 77),
    (24, 35, 55, 64, 81, 104, 113, 92),
    (49, 64, 78, 87, 103, 121, 120, 101),
    (72, 92, 95, 98, 112, 100, 103, 99),
)
CHROMINANCE = (
    (17, 18, 24, 47, 99, 99, 99, 99),
    (18, 21, 26, 66, 99, 99, 99, 99),
    (24, 26, 56, 99, 99, 99, 99, 99),
    (47, 66, 99, 99, 99, 99, 99, 99),
    *((99,) * 8,) * 4,
)
TO_YCC = ((0.299, 0.587, 0.114), (-0.168736, -0.331264, 0.5), (0.5, -0.418688, -0.081312))
TO_RGB = ((1.0, 0.0, 1.402), (1.0, -0.344136, -0.714136), (1.0, 1.772, 0.0))


def compressed(images: Tensor, quality: int, rounding: Callable[[Tensor], Tensor]) -> Tensor:
    """Return ``images`` (N, C, H, W) in [0, 1] after JPEG with ``rounding`` of its coefficients.

    Grey (C 1) or colour (C 3), whose two colour parts have half the resolution.
    """
    if images.shape[1] not in (1, 3):
        raise ValueError(f"images of {images.shape[1]} channels: 1 or 3 expected")
    values = images * 255
    if images.shape[1] == 1:
        grey = _plane(values - 128, _table(LUMINANCE, quality), rounding) + 128
        return grey.clamp(0, 255) / 255
    ycc = _mixed(values, TO_YCC)
    light = _plane(ycc[:, :1] - 128, _table(LUMINANCE, quality), rounding) + 128
    height, width = images.shape[2:]
    even = F.pad(ycc[:, 1:], (0, width % 2, 0, height % 2), mode="replicate")
    half = F.avg_pool2d(even, 2)
    colour = _plane(half, _table(CHROMINANCE, quality), rounding)
    full = F.interpolate(colour, scale_factor=2, mode="bilinear")[..., :height, :width]
    return _mixed(torch.cat([light, full], 1), TO_RGB).clamp(0, 255) / 255


def _plane(plane: Tensor, table: Tensor, rounding: Callable[[Tensor], Tensor]) -> Tensor:
    """Return channels (N, C, H, W), around 0, after the blocks."""
    height, width = plane.shape[2:]
    padded = F.pad(plane, (0, -width % SIDE, 0, -height % SIDE), mode="replicate")
    table = table.to(plane.device)
    cosines = _cosines().to(plane.device)
    tall, wide = (side // SIDE for side in padded.shape[2:])
    blocks = padded.reshape(*plane.shape[:2], tall, SIDE, wide, SIDE).transpose(3, 4)
    coefficients = rounding(cosines @ blocks @ cosines.T / table) * table
    back = (cosines.T @ coefficients @ cosines).transpose(3, 4)
    return back.reshape(padded.shape)[..., :height, :width]


def _cosines() -> Tensor:
    """Return the orthonormal cosine transform of 8 values, (8, 8)."""
    k, n = torch.arange(SIDE)[:, None], torch.arange(SIDE)[None]
    rows = torch.cos(math.pi * (2 * n + 1) * k / (2 * SIDE)) * math.sqrt(2 / SIDE)
    return torch.where(k == 0, math.sqrt(1 / SIDE), rows).float()


def _table(base: tuple[tuple[int, ...], ...], quality: int) -> Tensor:
    """Return the divisors (8, 8) of a quality."""
    scale = 5000 // quality if quality < 50 else 200 - 2 * quality
    return ((torch.tensor(base) * scale + 50) // 100).clamp(1, 255).float()


def _mixed(images: Tensor, rows: tuple[tuple[float, float, float], ...]) -> Tensor:
    """Return ``images`` (N, 3, H, W) with their channels mixed by ``rows``."""
    red, green, blue = images.unbind(1)
    return torch.stack([r * red + g * green + b * blue for r, g, b in rows], 1)
