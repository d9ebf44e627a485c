import numpy as np
import pytest

from robusteval.laws.transfer_breadth import transfer_breadth

RATES = np.array([[100.0, 60.0, 20.0], [80.0, 100.0, 40.0], [10.0, 30.0, 100.0]])


def test_by_hand():
    found = transfer_breadth(RATES, ["vgg", "vgg", "resnet"])
    np.testing.assert_array_equal(found.others, [40, 60, 20])
    np.testing.assert_array_equal(found.own_family, [60, 80, np.nan])  # resnet stands alone
    np.testing.assert_array_equal(found.foreign, [20, 40, 20])


def test_a_target_that_is_not_known_leaves_no_mean():
    rates = RATES.copy()
    rates[0, 2] = np.nan
    found = transfer_breadth(rates, ["vgg", "vgg", "resnet"])
    np.testing.assert_array_equal(found.others, [np.nan, 60, 20])
    np.testing.assert_array_equal(found.own_family, [60, 80, np.nan])


def test_one_model_has_no_others():
    assert np.isnan(transfer_breadth(np.array([[100.0]]), ["vgg"]).others).all()


def test_not_square():
    with pytest.raises(ValueError, match=r"rates \(2, 3\), 3 families"):
        transfer_breadth(RATES[:2], ["a", "b", "c"])
