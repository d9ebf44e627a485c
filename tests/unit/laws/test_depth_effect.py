import math

import numpy as np
import pytest

from robusteval.laws.depth_effect import depth_effect

FAMILY = ["resnet", "resnet", "resnet", "vgg", "vgg", "alexnet"]
DEPTH = [50, 101, 152, 16, 19, 8]


def test_by_hand():
    found = depth_effect(np.array([2.0, 4.0, 3.0, 5.0, 4.0, 9.0]), DEPTH, FAMILY)
    assert list(found) == ["resnet", "vgg"]  # one model has no depth effect
    resnet, vgg = found.values()
    assert (resnet.pairs, resnet.larger, resnet.ratio) == (3, 2, 1.5)
    assert (vgg.pairs, vgg.larger, vgg.ratio) == (1, 0, 0.8)


def test_models_of_one_depth_are_no_pair():
    found = depth_effect(np.array([1.0, 3.0, 4.0]), [8, 8, 16], ["a"] * 3)["a"]
    assert (found.pairs, found.larger, found.ratio) == (2, 2, 2.0)


def test_a_shallow_model_that_falls_at_nothing_has_no_ratio():
    assert math.isnan(depth_effect(np.array([0.0, 1.0]), [1, 2], ["a", "a"])["a"].ratio)


def test_an_unknown_value():
    with pytest.raises(ValueError, match="value holds NaN"):
        depth_effect(np.array([1.0, np.nan]), [1, 2], ["a", "a"])
