"""SSIM: how alike an attacked image and its clean one are in their structure."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._pairs import Image, check_maps, of_pairs

SIGMA, RADIUS = 1.5, 5  # of the Gaussian window, in pixels
K1, K2 = 0.01, 0.03


def structural_similarity(
    adversarial: NDArray[np.float32], clean: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Return the mean SSIM (N,), float64, of images (N, C, H, W) in [0, 1]; 1 for equal ones.

    In a Gaussian window (11 pixels, sigma 1.5), with means m, population (co)variances s, and the
    data range 1, ``(2 m_x m_y + C1)(2 s_xy + C2) / ((m_x^2 + m_y^2 + C1)(s_x^2 + s_y^2 + C2))``,
    C1 = 0.01^2, C2 = 0.03^2; mean over all pixels and channels, edges reflected. Those conventions
    are torchmetrics'; scikit-image leaves the edges out.

    Source: Wang et al., "Image quality assessment: from error visibility to structural similarity",
        IEEE Transactions on Image Processing 2004.

    Raises:
        ValueError: there is no image, the shapes differ, an image is not (C, H, W) with at least
            two rows and columns, or holds NaN or infinity.
    """
    return of_pairs(adversarial, clean, similarity)


def similarity(x: Image, y: Image) -> float:
    """Return the mean SSIM of two images (C, H, W).

    Raises:
        ValueError: they are not (C, H, W) with at least two rows and columns.
    """
    check_maps(x)
    m_x, m_y = _smoothed(x), _smoothed(y)
    s_xx = _smoothed(x * x) - m_x * m_x
    s_yy = _smoothed(y * y) - m_y * m_y
    s_xy = _smoothed(x * y) - m_x * m_y
    c1, c2 = K1**2, K2**2
    above = (2 * m_x * m_y + c1) * (2 * s_xy + c2)
    below = (m_x * m_x + m_y * m_y + c1) * (s_xx + s_yy + c2)
    return float(np.mean(above / below))


def _smoothed(x: Image) -> Image:
    """Return the Gaussian-weighted means around each pixel of ``x`` (C, H, W)."""
    from scipy.ndimage import correlate1d

    weights = np.exp(-((np.arange(-RADIUS, RADIUS + 1) / SIGMA) ** 2) / 2)
    weights /= weights.sum()
    rows = correlate1d(x, weights, axis=1, mode="mirror")
    smoothed: Image = correlate1d(rows, weights, axis=2, mode="mirror")
    return smoothed
