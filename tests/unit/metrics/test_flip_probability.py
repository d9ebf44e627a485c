import numpy as np
import pytest

from robusteval.metrics.flip_probability import flip_probability

SAID = np.array([[0, 0, 1, 1, 0], [2, 2, 2, 3, 3]])


def test_flips_from_frame_to_frame():
    assert flip_probability(SAID, reference="previous") == 3 / 8


def test_flips_from_the_first_frame():
    assert flip_probability(SAID, reference="first") == 4 / 8


@pytest.mark.parametrize(("reference", "expected"), [("previous", 1.0), ("first", 0.5)])
def test_a_class_that_comes_and_goes(reference, expected):
    assert flip_probability(np.array([[0, 1, 0, 1, 0]]), reference=reference) == expected


@pytest.mark.parametrize("reference", ["previous", "first"])
def test_a_model_that_never_changes_its_mind(reference):
    assert flip_probability(np.full((3, 4), 7), reference=reference) == 0.0


@pytest.mark.parametrize("shape", [(0, 5), (5,), (2, 1), (2, 3, 4)])
def test_without_frames_it_is_undefined(shape):
    with pytest.raises(ValueError, match="expected \\(M, T\\), M at least 1 sequence and T at"):
        flip_probability(np.zeros(shape, int), reference="first")


def test_an_unknown_reference():
    with pytest.raises(ValueError, match="unknown reference 'last'; allowed are first, previous"):
        flip_probability(SAID, reference="last")
