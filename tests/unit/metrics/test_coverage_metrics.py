import math

import numpy as np
import pytest

from robusteval.metrics.kmncov import kmncov
from robusteval.metrics.nbcov import nbcov
from robusteval.metrics.snacov import snacov
from robusteval.metrics.tknpat import tknpat

YES_NO = np.array([True, False])


def test_all_constant_is_nan():
    assert math.isnan(kmncov(np.zeros((2, 5), bool), np.array([True, True])))


def test_both_ends_count():
    assert nbcov(np.array([True, True]), YES_NO) == 3 / 4
    assert nbcov(np.array([True, True]), np.array([True, True])) == 1.0
    assert snacov(YES_NO) == 0.5


def test_patterns_are_counted_once():
    assert tknpat(np.array([[1, 2], [1, 2], [2, 1]])) == 2


def test_numbers_are_no_flags():
    with pytest.raises(ValueError, match="above has type int64"):
        snacov(np.array([0, 1]))
    with pytest.raises(ValueError, match="sections has type float64"):
        kmncov(np.ones((2, 3)), YES_NO)


def test_shapes_must_agree():
    with pytest.raises(ValueError, match=r"sections \(2, 3\), constant \(3,\)"):
        kmncov(np.ones((2, 3), bool), np.zeros(3, bool))
    with pytest.raises(ValueError, match=r"above \(2,\), below \(3,\)"):
        nbcov(YES_NO, np.zeros(3, bool))
