import numpy as np
import pytest

from robusteval.metrics.accuracy import accuracy
from robusteval.metrics.transfer_rate import transfer_rate

LABEL = np.array([0, 1, 2, 3])
PREDICTION = np.array([0, 2, 2, 1])


@pytest.mark.parametrize(
    ("population", "expected"),
    [
        ([True, True, True, True], 1 / 2),
        ([True, True, True, False], 1 / 3),
        ([False, True, False, True], 1.0),
        ([True, False, False, False], 0.0),
    ],
)
def test_population_is_the_denominator(population, expected):
    assert transfer_rate(PREDICTION, LABEL, np.array(population)) == expected


def test_over_all_images_it_is_the_error():
    everything = np.ones(4, bool)
    assert transfer_rate(PREDICTION, LABEL, everything) == 1 - accuracy(LABEL, PREDICTION)


def test_undefined_on_an_empty_population():
    with pytest.raises(ValueError, match="none of 4 images"):
        transfer_rate(PREDICTION, LABEL, np.zeros(4, bool))


def test_population_must_be_boolean():
    with pytest.raises(ValueError, match="population has type int64"):
        transfer_rate(PREDICTION, LABEL, np.array([0, 1, 1, 1]))
