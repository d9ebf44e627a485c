"""Snow: flakes in motion, and a whitened scene."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._scratch import Scratch
from robusteval.corruptions._snowfall import falling, still_flakes, under_flakes, whitened


def snow(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) whitened and with flakes, which are the same in each channel.

    ``constant`` is the mean and the standard deviation of the flakes' brightness (scale 0 to 1),
    how far they are enlarged, below which brightness there is none, the radius and the standard
    deviation of their motion in pixels, and the weight of the image; the rest is its whitened
    copy. Grey images are their own grey.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    mean, sd, factor, threshold, radius, sigma, weight = constant
    height, width = images.shape[1:3]
    corrupted = np.empty_like(images, order="C")
    scratch = Scratch()
    for image, out, generator in zip(images, corrupted, generators, strict=True):
        flakes = still_flakes(
            height, width, generator, mean=mean, sd=sd, factor=factor, threshold=threshold
        )
        degrees = generator.uniform(-135, -45)
        snowfall = falling(
            flakes, radius=int(radius), sigma=sigma, degrees=degrees, scratch=scratch
        )
        # Planes, because loops over a last axis of 3 are several times slower.
        planes = np.ascontiguousarray(np.moveaxis(image, -1, 0))
        scene = np.divide(planes, np.float32(255), dtype=np.float32)  # as published
        under_flakes(whitened(scene, weight), snowfall, out)
    return corrupted
