"""Corrupting a batch of images by the names of a corruption, a severity and a family."""

import sys
from collections.abc import Callable, Sequence

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
    """Return ``images`` (N, H, W, C), uint8, with ``corruption`` at ``severity`` of ``family``.

    Image ``i`` draws from ``generators[i]`` alone, so its result does not depend on the images
    beside it. Of a generator only ``normal``, ``uniform``, ``poisson``, ``random`` and, through
    ``_draws``, whole numbers are called; a ``RandomState`` seeded as the published scripts were
    gives the published stream bit for bit.

    Raises:
        ValueError: an unknown family, corruption or severity, images of another type or shape,
            or not one generator an image; the message says what was given and what is allowed.
    """
    function = _function(corruption, family)
    parameter = constant(corruption, severity, family=family)
    check_images(images, generators)
    if not len(images):
        return images.copy()
    corrupted: NDArray[np.uint8] = function(images, parameter, generators)
    return corrupted


def _function(corruption: str, family: str) -> Callable[..., NDArray[np.uint8]]:
    """Return the function of ``corruption``, or ``family``'s own where their file has one.

    Under some names MNIST-C does something else than the families of colour images; that stands
    in the same file as ``<corruption>_<family>``.
    """
    function = load("corruptions", corruption)
    module = sys.modules[function.__module__]
    own: Callable[..., NDArray[np.uint8]] = getattr(module, f"{corruption}_{family}", function)
    return own


def check_images(images: NDArray[np.uint8], generators: Sequence[np.random.Generator]) -> None:
    """Check the type and shape of ``images``, and that each has a generator.

    Raises:
        ValueError: with what was given and what is allowed.
    """
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
