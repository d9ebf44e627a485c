"""Snow: the wind that drives the flakes turns."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._levels import unit
from robusteval.corruptions._snowfall import falling, still_flakes, under_flakes, whitened


def snow(
    images: NDArray[np.uint8],
    generators: Sequence[np.random.Generator],
    *,
    mean: float,
    sd: float,
    factor: float,
    threshold: float,
    radius: int,
    sigma: float,
    weight: float,
    degrees: Sequence[float],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) with the same flakes in each wind, (N, T, H, W, C).

    ``mean`` and ``sd`` are those of the flakes' brightness (scale 0 to 1), ``factor`` how far they
    are enlarged, ``threshold`` below which brightness there is none; ``radius`` and ``sigma`` are
    those of their motion in pixels, ``degrees`` its direction, 90 down; ``weight`` is that of the
    image, the rest that of its whitened copy.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    height, width = images.shape[1:3]
    made = np.empty((len(images), len(degrees), *images.shape[1:]), np.uint8)
    for image, sequence, generator in zip(images, made, generators, strict=True):
        flakes = still_flakes(
            height, width, generator, mean=mean, sd=sd, factor=factor, threshold=threshold
        )
        # Planes, because loops over a last axis of 3 are several times slower.
        scene = whitened(unit(np.moveaxis(image, -1, 0)), weight)
        for out, direction in zip(sequence, degrees, strict=True):
            snowfall = falling(flakes, radius=radius, sigma=sigma, degrees=direction)
            under_flakes(scene, snowfall, out)
    return made
