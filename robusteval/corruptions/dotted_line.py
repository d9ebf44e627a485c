"""Dotted line: a dotted line across the image."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._draws import integers
from robusteval.corruptions._levels import rounded, unit
from robusteval.corruptions._lines import draw_line


def dotted_line(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) with a dotted line between random rows of the two sides.

    ``constant`` is how far the line's light reaches up and down, and the length of its dots and of
    the gaps between them, both in pixels. Neither side's row is the last one.

    Source: Mu and Gilmer, arXiv:1906.02337; google-research/mnist-c.
    """
    reach, dot = constant[0], int(constant[1])
    height, width = images.shape[1:3]
    dots = np.arange(width) // dot % 2 == 1
    x = unit(images)
    for image, generator in zip(x, generators, strict=True):
        left, right = integers(generator, 0, height - 1, (2,)).tolist()
        whole = image.copy()
        draw_line(whole, (0, left), (width - 1, right), reach=reach)
        image[:, dots] = whole[:, dots]
    return rounded(x)
