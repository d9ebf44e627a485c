"""ALDp: how large the changes of an attack's successes are, on average."""

import math

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._pairs import Image, mean_of_successes
from robusteval.metrics.distortion import norm_of
from robusteval.metrics.relative_distortion import relative


def aldp(
    adversarial: NDArray[np.float32],
    clean: NDArray[np.float32],
    success: NDArray[np.bool_],
    norm: str,
    *,
    normalised: bool = True,
) -> float:
    """Return the average Lp distortion, ``1/n sum ||x^a - x||_p / ||x||_p`` over the n successes.

    ``adversarial`` and ``clean`` are (N, C, H, W) in [0, 1], ``success`` (N,); ``norm`` is l0,
    l1, l2 or linf. Without ``normalised`` the changes are not divided by the image's size. Lower is
    less visible; NaN without success. Models with few successes are judged on few, easy images:
    report n beside it.

    Source: Ling et al., "DEEPSEC", IEEE S&P 2019; normalised as in arXiv 2101.09617.

    Raises:
        ValueError: there is no image, the shapes differ, the norm is unknown, ``success`` is not
            boolean, an image holds NaN or infinity, or a success has a black clean image, whose
            norm is 0.
    """
    size, share = norm_of(norm), relative(norm)

    def of(x: Image, x0: Image) -> float:
        value = share(x, x0) if normalised else float(size(x - x0))
        if math.isinf(value):
            raise ValueError(
                f"a success has a black clean image, whose {norm} norm is 0: expected none, leave "
                "it out or ask for normalised=False"
            )
        return value

    return mean_of_successes(adversarial, clean, success, of)
