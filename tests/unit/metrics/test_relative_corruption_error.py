import numpy as np
import pytest

from robusteval.metrics.relative_corruption_error import relative_corruption_error


def test_by_hand():
    # Rises 0.25 and 0.5 against 0.5 and 1.0, all exact in binary.
    got = relative_corruption_error(np.array([0.5, 0.75]), 0.25, np.array([0.5, 1.0]), 0.0)
    assert got == 0.75 / 1.5


def test_a_model_that_loses_nothing_scores_zero_however_bad_it_is():
    got = relative_corruption_error(np.array([0.9, 0.9]), 0.9, np.array([0.5, 0.6]), 0.4)
    assert got == 0.0


def test_undefined_if_baseline_loses_nothing():
    with pytest.raises(ValueError, match="more than 0"):
        relative_corruption_error(np.array([0.5]), 0.2, np.array([0.4]), 0.4)


def test_missing_clean_error():
    with pytest.raises(ValueError, match="clean_error holds 1 values"):
        relative_corruption_error(np.array([0.5]), float("nan"), np.array([0.4]), 0.2)
