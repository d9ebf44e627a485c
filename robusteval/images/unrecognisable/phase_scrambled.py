"""Phase scrambling: the spatial frequencies of an image without its edges."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.images.unrecognisable._rounding import rounded


def phase_scrambled(
    images: NDArray[np.uint8], generators: Sequence[np.random.Generator]
) -> NDArray[np.uint8]:
    """Return ``images`` (N, H, W, C) with random phases added in the Fourier domain.

    Every image has its own phases, drawn from ``generators[i]`` and shared by its channels, which
    keeps the colours of each frequency together. The paper leaves the exact form open. The result
    is clipped to [0, 1] and rounded, halves to even.

    Source: arXiv:2308.04137, synthetic set of test images with randomised phase.
    """
    scrambled = np.empty_like(images, order="C")
    for image, out, generator in zip(images, scrambled, generators, strict=True):
        height, width = image.shape[:2]
        phase = noise_phase(height, width, generator)
        out[:] = rounded(phase_added(image / 255.0, phase).real)
    return scrambled


def noise_phase(height: int, width: int, generator: np.random.Generator) -> NDArray[np.float64]:
    """Return the phases (H, W) of the Fourier transform of white noise, radians.

    As phases of a real image they have its symmetry, so an image stays real when they are added.
    The noise is uniform on [0, 1): its mean is positive, so the phase at frequency 0 is 0 and an
    image keeps its mean too.
    """
    return np.angle(np.fft.fft2(generator.random((height, width))))


def phase_added(x: NDArray[np.float64], phase: NDArray[np.float64]) -> NDArray[np.complex128]:
    """Return ``x`` (H, W, C) with ``phase`` (H, W), radians, added to each channel, unclipped."""
    spectrum = np.fft.fft2(x, axes=(0, 1)) * np.exp(1j * phase)[:, :, np.newaxis]
    return np.fft.ifft2(spectrum, axes=(0, 1))
