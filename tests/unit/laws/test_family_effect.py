import math

import numpy as np
import pytest

from robusteval.laws.family_effect import family_effect


def test_by_hand():
    # Means 2 and 6; within 2 + 2 = 4, total 9 + 1 + 1 + 9 = 20.
    found = family_effect(np.array([1.0, 3.0, 5.0, 7.0]), ["vgg", "vgg", "resnet", "resnet"])
    assert found.means == {"vgg": 2.0, "resnet": 6.0}
    assert found.between == pytest.approx(16 / 20)
    assert found.adjusted == pytest.approx(1 - (4 / 2) / (20 / 3))


def test_families_drawn_at_random_explain_nothing_once_adjusted():
    rng = np.random.default_rng(0)
    found = [family_effect(rng.random(18), list("abcdefabcdefabcdef")) for _ in range(400)]
    # Five of 17 degrees of freedom; the standard error of the means is 0.007.
    assert np.mean([f.between for f in found]) == pytest.approx(5 / 17, abs=0.03)
    assert np.mean([f.adjusted for f in found]) == pytest.approx(0, abs=0.04)


def test_one_model_a_family_explains_everything_and_nothing():
    found = family_effect(np.array([1.0, 2.0]), ["a", "b"])
    assert found.between == 1
    assert math.isnan(found.adjusted)


def test_without_a_difference_there_is_no_share():
    assert math.isnan(family_effect(np.ones(4), list("aabb")).between)


def test_other_shapes():
    with pytest.raises(ValueError, match=r"value \(2,\), family \(1,\)"):
        family_effect(np.ones(2), ["a"])
