"""ASS: how alike an attack's successes and their clean images are in their structure."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._pairs import mean_of_successes
from robusteval.metrics.structural_similarity import similarity


def ass(
    adversarial: NDArray[np.float32], clean: NDArray[np.float32], success: NDArray[np.bool_]
) -> float:
    """Return the average structural similarity, ``1/n sum SSIM(x^a, x)`` over the n successes.

    ``adversarial`` and ``clean`` are (N, C, H, W) in [0, 1], ``success`` (N,). See
    `structural_similarity` for the conventions. Larger is less visible, at most 1; NaN without
    success. Report n beside it.

    Source: Ling et al., "DEEPSEC", IEEE S&P 2019; arXiv 2101.09617. Their code leaves the data
        range at 2 while values reach 255, which makes noise on flat images look far larger.

    Raises:
        ValueError: as `structural_similarity`; or ``success`` is not boolean.
    """
    return mean_of_successes(adversarial, clean, success, similarity)
