"""The layout of the cropped digits of SVHN."""

import pickle

import numpy as np
import pytest
from scipy.io import savemat

from robusteval.images._labels import Classes
from robusteval.images.layouts.svhn import svhn

DIGITS = Classes([str(i) for i in range(10)])
IMAGES = np.random.default_rng(0).integers(0, 256, (32, 32, 3, 11), np.uint8)
LABELS = np.array([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]], np.uint8).T


def save(folder, **variables):
    savemat(folder / "test_32x32.mat", variables, do_compression=True)


def test_the_label_is_the_digit_and_ten_is_zero(tmp_path):
    save(tmp_path, X=IMAGES, y=LABELS)
    listing = svhn(tmp_path, DIGITS)
    assert listing.labels.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0]
    read = pickle.loads(pickle.dumps(listing.read))
    assert all(np.array_equal(read(i), IMAGES[..., i]) for i in range(11))
    assert svhn(tmp_path, Classes(), labelled=False).labels.tolist() == [-1] * 11


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"X": IMAGES.astype(float), "y": LABELS}, "X: float64 of shape .* the cropped digits"),
        ({"X": IMAGES[:16], "y": LABELS}, r"X: uint8 of shape \(16, 32, 3, 11\)"),
        ({"X": IMAGES, "y": LABELS[:5]}, "y: 11 labels from 1 to 10 expected"),
        ({"X": IMAGES, "y": LABELS + 1}, "y: 11 labels from 1 to 10 expected"),
        ({"X": IMAGES}, "no y in it; there are X"),
    ],
)
def test_variables_that_do_not_fit(tmp_path, variables, message):
    save(tmp_path, **variables)
    with pytest.raises(ValueError, match=message) as error:
        svhn(tmp_path, DIGITS)
    assert "\n" not in str(error.value)


def test_files_that_are_none(tmp_path):
    with pytest.raises(ValueError, match=r"test_32x32\.mat: no such file"):
        svhn(tmp_path, DIGITS)
    (tmp_path / "test_32x32.mat").write_bytes(b"<html>no</html>" * 20)
    with pytest.raises(ValueError, match=r"test_32x32\.mat: (not a MATLAB file|damaged)"):
        svhn(tmp_path, DIGITS)
    save(tmp_path, X=IMAGES, y=LABELS)
    path = tmp_path / "test_32x32.mat"
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(ValueError, match=r"test_32x32\.mat: "):
        svhn(tmp_path, DIGITS)
