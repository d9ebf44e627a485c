"""Mean DAR over image sets of several kinds: one score for all data."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._checks import check_finite, check_rows


def mean_dar(
    value: NDArray[np.float64],
    kind: NDArray[np.str_],
    images: NDArray[np.integer[Any]],
    *,
    averaging: Literal["kinds", "sets", "images"] = "kinds",
) -> float:
    """Return the mean of the DAR ``value`` (S,) of S image sets, in its unit; higher is better.

    ``kind`` (S,) says what each set is of (clean, corrupt, adversarial, novel, unrecognisable) and
    ``images`` (S,) how many it has. Every corruption at every severity, every attack and every
    unknown source is a set. What weighs the same is open in what is known of the paper:

    * ``averaging="kinds"``: the kinds do, and within a kind its sets; of one kind alone it is the
      mean over its sets. Spratling & Schuett average over sets like this within a kind.
    * ``averaging="sets"``: all sets do, so that the kind with most sets decides.
    * ``averaging="images"``: all images do, as if the sets were one.

    Raises:
        ValueError: there is no set, the shapes differ, a value is NaN or infinite, as that of a
            set which could not be measured, a set has no image, or an option has no such value.
    """
    check_rows(value=value, kind=kind, images=images)
    check_finite(value=value)
    if np.min(images) < 1:
        raise ValueError(f"a set of {np.min(images)} images: expected 1 or more in each")
    if averaging not in ("kinds", "sets", "images"):
        raise ValueError(f"averaging {averaging!r}: expected 'kinds', 'sets' or 'images'")
    if averaging == "images":
        return float(np.average(value, weights=images))
    if averaging == "sets":
        return float(np.mean(value, dtype=np.float64))
    means = [np.mean(value[kind == one], dtype=np.float64) for one in np.unique(kind)]
    return float(np.mean(means))
