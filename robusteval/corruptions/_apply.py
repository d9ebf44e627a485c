"""Corrupting a batch of images by the names of a corruption, a severity and a family."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._severities import constant
from robusteval.plugins import load

CHANNELS = (1, 3)
SMALLEST_SIDE = 28  # pixels; the smallest images that a family was published for


def corrupt(
    images: NDArray[np.uint8],
    corruption: str,
    severity: int,
    generators: Sequence[np.random.Generator],
    *,
    family: str,
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C), uint8, with ``corruption`` at ``severity`` (1 to 5).

    Image ``i`` draws from ``generators[i]`` alone, so its result does not depend on the images
    beside it. Of a generator only ``normal``, ``uniform``, ``poisson``, ``random`` and, through
    ``_draws``, whole numbers are called; a ``RandomState`` seeded as the published scripts were
    gives the published stream bit for bit.

    Raises:
        ValueError: an unknown family, corruption or severity, images of another type or shape,
            or not one generator an image; the message says what was given and what is allowed.
    """
    function = load("corruptions", corruption)
    parameter = constant(corruption, severity, family=family)
    _check(images, generators)
    corrupted: NDArray[np.uint8] = function(images, parameter, generators)
    return corrupted


def _check(images: NDArray[np.uint8], generators: Sequence[np.random.Generator]) -> None:
    if images.dtype != np.uint8:
        raise ValueError(f"images of type {images.dtype}; only uint8 is allowed")
    if (
        images.ndim != 4
        or images.shape[3] not in CHANNELS
        or min(images.shape[1:3]) < SMALLEST_SIDE
    ):
        raise ValueError(
            f"images of shape {images.shape}; allowed are (N, H, W, C) with H and W at least "
            f"{SMALLEST_SIDE} and C {' or '.join(map(str, CHANNELS))}"
        )
    if len(generators) != len(images):
        raise ValueError(
            f"{len(generators)} generators for {len(images)} images; one an image is allowed"
        )
