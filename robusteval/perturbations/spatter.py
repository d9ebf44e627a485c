"""Spatter: drops of water run down the lens."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._liquid import WATER, behind, liquid, scene
from robusteval.corruptions._water import water
from robusteval.perturbations._frames import sequences


def spatter(
    images: NDArray[np.uint8],
    generators: Sequence[np.random.Generator],
    *,
    frames: int,
    mean: float,
    sd: float,
    sigma: float,
    threshold: float,
    strength: float,
    drip: Sequence[float],
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) under drops on their way down, (N, T, H, W, C).

    ``mean`` and ``sd`` are those of noise (scale 0 to 1), ``sigma`` the standard deviation in
    pixels of the kernel that smooths it, ``threshold`` above which noise there is water at first,
    ``strength`` that of the water. From one frame to the next ``drip`` smooths it downwards.
    Once all has run out at the bottom there is none.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    _, height, width, channels = images.shape
    noise = liquid(height, width, generators, mean=mean, sd=sd, sigma=sigma, threshold=threshold)
    planes = scene(images)

    def frame(t: int) -> NDArray[np.uint8]:
        if t:
            noise[:] = _dripped(noise, drip)
        return behind(planes, water(noise, np.float32(strength)), WATER[channels])

    return sequences(images, frames, frame)


def _dripped(noise: NDArray[np.float64], drip: Sequence[float]) -> NDArray[np.float64]:
    """Return ``noise`` (N, H, W), its columns convolved with ``drip``, nothing from outside.

    Of K weights, entry (K - 1) // 2 is that of the pixel's own noise, those after it are those of
    the pixels above, the nearest first.
    """
    height = noise.shape[1]
    moved = np.zeros_like(noise)
    for down, weight in enumerate(drip, start=-((len(drip) - 1) // 2)):
        source = slice(max(0, -down), height - max(0, down))
        moved[:, max(0, down) : height - max(0, -down)] += weight * noise[:, source]
    return moved
