"""Images held against the clean ones that they were made from, pair by pair."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_masks, check_rows

Image = NDArray[np.float64]
OfPair = Callable[[Image, Image], float]


def of_pairs(
    adversarial: NDArray[np.floating[Any]],
    clean: NDArray[np.floating[Any]],
    value: OfPair,
    rows: Iterable[int] | None = None,
) -> NDArray[np.float64]:
    """Return ``value(adversarial, clean)`` (n,), float64, of each pair of (N, C, H, W), or of
    those at ``rows``.

    Image by image: the order of a sum, and so its rounding, cannot depend on the neighbours, and
    memory-mapped shards are never held in float64 as a whole.

    Raises:
        ValueError: there is no image, the shapes differ, or an image holds NaN or infinity.
    """
    if adversarial.shape != clean.shape or adversarial.ndim < 2 or not adversarial.size:
        raise ValueError(
            f"shapes adversarial {adversarial.shape}, clean {clean.shape}: expected the same "
            "(N, C, H, W) for both, N at least 1"
        )
    values = []
    for i in range(len(clean)) if rows is None else rows:
        pair = adversarial[i].astype(np.float64), clean[i].astype(np.float64)
        if not all(np.isfinite(image).all() for image in pair):
            raise ValueError(f"image {i} holds NaN or infinity: expected values in [0, 1]")
        values.append(value(*pair))
    return np.array(values, np.float64)


def mean_of_successes(
    adversarial: NDArray[np.floating[Any]],
    clean: NDArray[np.floating[Any]],
    success: NDArray[np.bool_],
    value: OfPair,
) -> float:
    """Return the mean of ``value`` over the pairs with ``success`` (N,); NaN if there is none.

    Raises:
        ValueError: as `of_pairs`; or ``success`` is not boolean or not one an image.
    """
    check_rows(success=success)
    check_masks(success=success)
    if len(success) != len(clean):
        raise ValueError(f"success of {len(success)} for {len(clean)} images: one each expected")
    values = of_pairs(adversarial, clean, value, np.flatnonzero(success).tolist())
    return float(np.mean(values)) if len(values) else float("nan")


def check_maps(x: Image) -> None:
    """Check that an image has the shape (C, H, W), since windows are of its last two axes.

    Raises:
        ValueError: it has not.
    """
    if x.ndim != 3 or min(x.shape[1:]) < 2:
        raise ValueError(
            f"image of shape {x.shape}: expected (C, H, W) with at least two rows and columns"
        )
