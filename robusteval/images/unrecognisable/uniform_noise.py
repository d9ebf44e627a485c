"""Uniform noise: images without any structure."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def uniform_noise(
    images: NDArray[np.uint8], generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return images shaped like ``images`` (N, H, W, C) with values drawn from 0 to 255.

    All 256 levels are equally likely, at each pixel and channel. Of ``images`` only the shape is
    used; image ``i`` draws from ``generators[i]`` alone.

    Source: arXiv:2308.04137, synthetic set of uniform noise.
    """
    noise = np.empty_like(images, order="C")
    for out, generator in zip(noise, generators, strict=True):
        out[:] = generator.integers(256, size=out.shape, dtype=np.uint8)
    return noise
