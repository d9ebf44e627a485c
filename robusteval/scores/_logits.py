"""Logits as every score takes them: checked, and turned into log-probabilities in float64."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def checked(logits: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return a float64 copy (N, K) of ``logits``, in row order.

    Raises:
        ValueError: ``logits`` is not (N, K) with at least one image and two classes, or holds NaN
            or infinity; the message names the first such image.
    """
    if logits.ndim != 2 or logits.shape[0] < 1 or logits.shape[1] < 2:
        raise ValueError(f"logits of shape {logits.shape}: expected (N, K), N >= 1 and K >= 2")
    finite = np.isfinite(logits)
    if not finite.all():
        rows = np.flatnonzero(~finite.all(axis=1))
        raise ValueError(
            f"logits of {len(rows)} of {len(logits)} images, the first at row {rows[0]}, hold NaN "
            "or infinity: expected finite numbers, leave such images out or mend the model"
        )
    return logits.astype(np.float64, order="C")


def log_softmax(logits: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return log-probabilities (N, K), float64, that do not saturate where one class is certain.

    The largest one is -log(1 + rest) with the leading 1 kept out of the sum, so that it is told
    from 0 until the rest underflows, at logits some 745 behind.

    Raises:
        ValueError: as `checked`.
    """
    z = checked(logits)
    largest = z.argmax(axis=1)[:, None]
    z -= np.take_along_axis(z, largest, axis=1)
    odds = np.exp(z)
    np.put_along_axis(odds, largest, 0.0, axis=1)
    z -= np.log1p(odds.sum(axis=1))[:, None]
    return z
