import numpy as np
import pytest

from robusteval.metrics.targeted_success_rate import targeted_success_rate

TARGET = np.array([5, 6, 7, -1])
PREDICTION = np.array([5, 1, 7, 3])


@pytest.mark.parametrize(
    ("attacked", "expected"),
    [
        ([True, True, True, False], 2 / 3),
        ([False, True, False, False], 0.0),  # a third class is no success
        ([True, False, True, False], 1.0),
    ],
)
def test_share_of_the_attacked_that_reach_their_target(attacked, expected):
    assert targeted_success_rate(PREDICTION, TARGET, np.array(attacked)) == expected


def test_nothing_attacked():
    with pytest.raises(ValueError, match="none of 4 images was attacked"):
        targeted_success_rate(PREDICTION, TARGET, np.zeros(4, bool))


def test_an_attacked_image_without_target():
    with pytest.raises(ValueError, match="1 attacked images without a target"):
        targeted_success_rate(PREDICTION, TARGET, np.ones(4, bool))
