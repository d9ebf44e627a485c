"""Classes whose names are numbers are not taken for places."""

import numpy as np
import pytest

from robusteval.images._labels import Classes, labels_of

IDS = Classes(("1", "2", "3"))


def labels(values, classes=IDS):
    names = [f"{i}.png" for i in range(len(values))]
    return labels_of(values, names, classes, "here", numbers=True)[1].tolist()


def test_names_are_names():
    assert labels(["3", "1", "2"]) == [2, 0, 1]


def test_a_mixture_of_names_and_places_is_refused():
    with pytest.raises(ValueError, match="here: 1 is a name of a class, 0 is not: names or places"):
        labels(["0", "1", "2"])


def test_places_are_places_where_no_class_is_called_by_a_number():
    assert labels(["2", "0", "cat"], Classes(("cat", "dog", "fish"))) == [2, 0, 0]
    assert np.array_equal(labels(["-1", "1"]), [-1, 0])
