"""Frost: photographs of ice laid over the image."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._draws import integers
from robusteval.corruptions._frost_photographs import PHOTOGRAPHS, photograph
from robusteval.corruptions._levels import LUMA
from robusteval.corruptions._resized import resized_part, resized_side


def frost(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) under a random part of one of five photographs of ice.

    ``constant`` is the weight of the image, that of the photograph, and how much the photograph is
    enlarged before; where it is not larger than the image then, that is doubled until it is. Grey
    images get the luma of the photograph.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.

    Raises:
        FileNotFoundError: a photograph is missing; the message names it and what to run.
        ValueError: a photograph is damaged; likewise.
    """
    weight, frost_weight, factor = constant
    corrupted = np.empty_like(images, order="C")
    for image, out, generator in zip(images, corrupted, generators, strict=True):
        ice = _part(image.shape[0], image.shape[1], factor, generator)
        if image.shape[-1] == 1:
            ice = (ice @ LUMA)[..., np.newaxis]
        out[:] = np.clip(weight * image + frost_weight * ice, 0, 255)
    return corrupted


def _part(
    height: int, width: int, factor: float, generator: np.random.Generator
) -> NDArray[np.uint8]:
    """Return a random part (H, W, 3) of a random photograph."""
    whole = photograph(list(PHOTOGRAPHS)[integers(generator, 0, len(PHOTOGRAPHS), ()).item()])
    while not _is_larger(whole, factor, height, width):
        factor *= 2
    rows, columns = (resized_side(side, factor) for side in whole.shape[:2])
    top = integers(generator, 0, rows - height, ()).item()
    left = integers(generator, 0, columns - width, ()).item()
    return resized_part(whole, factor, top, left, height, width)


def _is_larger(whole: NDArray[np.uint8], factor: float, height: int, width: int) -> bool:
    rows, columns = (resized_side(side, factor) for side in whole.shape[:2])
    return rows > height and columns > width
