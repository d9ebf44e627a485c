import numpy as np
import pytest

from robusteval.metrics.mean_dar import mean_dar

VALUE = np.array([0.5, 0.25, 0.75, 1.0])
KIND = np.array(["clean", "corrupt", "corrupt", "novel"])
IMAGES = np.array([10, 10, 30, 50])


def test_what_weighs_the_same():
    assert mean_dar(VALUE, KIND, IMAGES) == (0.5 + 0.5 + 1) / 3
    assert mean_dar(VALUE, KIND, IMAGES, averaging="kinds") == (0.5 + 0.5 + 1) / 3
    assert mean_dar(VALUE, KIND, IMAGES, averaging="sets") == 2.5 / 4
    assert mean_dar(VALUE, KIND, IMAGES, averaging="images") == (5 + 2.5 + 22.5 + 50) / 100


def test_one_kind():
    rows = KIND == "corrupt"
    assert mean_dar(VALUE[rows], KIND[rows], IMAGES[rows]) == 0.5


@pytest.mark.parametrize("averaging", ["kinds", "sets", "images"])
def test_order_of_the_sets_does_not_count(averaging):
    got = mean_dar(VALUE[::-1], KIND[::-1], IMAGES[::-1], averaging=averaging)
    # Four terms in another order.
    expected = mean_dar(VALUE, KIND, IMAGES, averaging=averaging)
    assert got == pytest.approx(expected, rel=1e-15)


def test_equal_sets_leave_nothing_to_choose():
    half = np.full(4, 0.5)
    for averaging in ("kinds", "sets", "images"):
        assert mean_dar(half, KIND, IMAGES, averaging=averaging) == 0.5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": np.array([1, np.nan, 1, 1])}, "value holds 1 values that are NaN"),
        ({"images": np.array([1, 0, 1, 1])}, "a set of 0 images"),
        ({"kind": KIND[:2]}, r"kind \(2,\)"),
        ({"averaging": "types"}, "'types': expected 'kinds', 'sets' or 'images'"),
    ],
)
def test_errors(change, message):
    with pytest.raises(ValueError, match=message):
        mean_dar(**{"value": VALUE, "kind": KIND, "images": IMAGES} | change)
