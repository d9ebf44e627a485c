import numpy as np
import pytest

from robusteval.metrics.distortion_by_size import distortion_by_size

SIZES = {"height": 4, "width": 5, "channels": 3}


@pytest.mark.parametrize(("per", "divisor"), [("pixel", 20), ("value", 60)])
def test_by_hand(per, divisor):
    values = distortion_by_size(np.array([60.0, np.inf]), per, **SIZES)
    assert values.tolist() == [60 / divisor, np.inf]


def test_unknown_division():
    with pytest.raises(ValueError, match="'image': expected one of pixel, value"):
        distortion_by_size(np.ones(2), "image", **SIZES)


def test_no_size():
    with pytest.raises(ValueError, match="size 4 x 0 x 3"):
        distortion_by_size(np.ones(2), "pixel", **{**SIZES, "width": 0})
