"""VR: share of the images that the oracle accepts as still showing their label."""

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._searched import Verdicts, estimate


def validation_rate(valid: NDArray[np.bool_]) -> float:
    """Return the share of images, in [0, 1], that are ``valid`` (N,).

    A search that starts at the round trip and takes back what the oracle rejects ends valid where
    the oracle accepts the round trip. VR then depends on generator and oracle, and not on the
    evaluated model: another VR for another model on the same images tells of a mistake.

    Raises:
        ValueError: there is no image, or ``valid`` is not boolean.
    """
    return estimate("vr", Verdicts(valid, valid, valid, valid))
