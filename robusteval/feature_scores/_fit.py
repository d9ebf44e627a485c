"""Statistics of training images for a score that is named by its id."""

import sys
from typing import Any

import numpy as np

from robusteval import plugins
from robusteval.feature_scores._training import Statistics, Training


def fit(score: str, training: Training, **settings: Any) -> Statistics:
    """Return what ``fit`` of ``robusteval/feature_scores/<score>.py`` makes of training images.

    The arrays lie in row order, so that any format can save them.

    Raises:
        ValueError: there is no such score, or it cannot be fitted; the message says why.
    """
    module = sys.modules[plugins.load("feature_scores", score).__module__]
    statistics: Statistics = module.fit(training, **settings)
    # Some formats write the bytes of an array as they lie, which loses a transposition.
    return {name: np.asarray(array, order="C") for name, array in statistics.items()}
