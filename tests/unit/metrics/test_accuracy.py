import numpy as np
import pytest

from robusteval.metrics.accuracy import accuracy


def test_by_hand():
    assert accuracy(np.array([0, 1, 2, 2]), np.array([0, 1, 1, 2])) == 0.75


def test_against_scikit_learn():
    from sklearn.metrics import accuracy_score

    rng = np.random.default_rng(0)
    label, prediction = rng.integers(0, 3, (2, 1001))
    assert accuracy(label, prediction) == accuracy_score(label, prediction)


def test_shapes_differ():
    with pytest.raises(ValueError, match=r"label \(2,\), prediction \(3,\)"):
        accuracy(np.zeros(2, int), np.zeros(3, int))


def test_a_logit_matrix_is_not_a_prediction():
    with pytest.raises(ValueError, match=r"prediction \(2, 10\)"):
        accuracy(np.zeros(2, int), np.zeros((2, 10), int))


def test_unknown_class_has_no_accuracy():
    with pytest.raises(ValueError, match="label -1"):
        accuracy(np.array([0, -1]), np.array([0, 0]))
