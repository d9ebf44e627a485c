import numpy as np
import pytest

from robusteval.images._listing import Listing, check

LISTING = Listing(["a", "b", "c", "d"], np.array([0, 2, 2, -1]), lambda i: b"")


def test_promises_that_hold():
    check(LISTING, "here", count=4, classes="xyz", present=[0, 2])


@pytest.mark.parametrize(
    ("names", "labels", "promises", "message"),
    [
        ([], [], {}, "here: no image in it"),
        (["a", "b", "a", "a"], [0] * 4, {}, r"two images have the name a \(the first of 2\)"),
        (["a"], [0], {"count": 50_000}, "1 images, 50,000 expected"),
        (["a", "b"], [0, 3], {"present": range(4)}, "no image of 2 of 4 classes, .* is label 1"),
        (["a"], [0], {"present": [0, 1], "classes": "xy"}, r"1 of 2 .* is y \(label 1\)"),
        (["a", "b"], [0, 1], {"present": [0]}, "1 classes that `present` does not name, .*label 1"),
    ],
)
def test_promises_that_are_broken(names, labels, promises, message):
    listing = Listing(names, np.array(labels, dtype=np.int64), lambda i: b"")
    with pytest.raises(ValueError, match=message):
        check(listing, "here", **promises)
