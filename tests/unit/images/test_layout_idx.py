"""The layout of IDX files: MNIST and what is released as it was."""

import gzip
import pickle

import numpy as np
import pytest

from robusteval.images._labels import Classes
from robusteval.images.layouts.idx import idx

DIGITS = Classes([str(i) for i in range(10)])
IMAGES = np.random.default_rng(0).integers(0, 256, (12, 5, 4), np.uint8)
LABELS = np.arange(12, dtype=np.uint8) % 10
OPTIONS = {"images": "t10k-images-idx3-ubyte", "labels": "t10k-labels-idx1-ubyte"}


def encoded(array):
    sizes = b"".join(size.to_bytes(4) for size in array.shape)
    return b"\x00\x00\x08" + bytes([array.ndim]) + sizes + array.tobytes()


def save(folder, images=IMAGES, labels=LABELS):
    for name, array in zip(OPTIONS.values(), (images, labels), strict=True):
        (folder / name).write_bytes(encoded(array))


def test_images_and_labels_in_another_process_too(tmp_path):
    save(tmp_path)
    listing = idx(tmp_path, DIGITS, **OPTIONS)
    assert listing.labels.tolist() == LABELS.tolist()
    assert listing.names[3] == "t10k-images-idx3-ubyte#3"
    read = pickle.loads(pickle.dumps(listing.read))
    for i in (0, 11, 3):
        assert np.array_equal(read(i), IMAGES[i, :, :, None])


def test_compressed_files_and_no_labels(tmp_path):
    path = tmp_path / "t10k-images-idx3-ubyte.gz"
    path.write_bytes(gzip.compress(encoded(IMAGES)))
    listing = idx(tmp_path, Classes(), images=OPTIONS["images"])
    assert listing.labels.tolist() == [-1] * 12
    assert np.array_equal(listing.read(7), IMAGES[7, :, :, None])
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ValueError, match=r"ubyte\.gz: damaged"):
        idx(tmp_path, Classes(), images=OPTIONS["images"])


def test_emnist_lies_column_by_column(tmp_path):
    save(tmp_path, images=IMAGES.transpose(0, 2, 1))
    listing = idx(tmp_path, DIGITS, **OPTIONS, transposed=True)
    assert np.array_equal(listing.read(2), IMAGES[2, :, :, None])


@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        (IMAGES, LABELS[:11], r"labels of shape \(11,\) for 12 images"),
        (IMAGES[0], LABELS, r"shape \(5, 4\); N x H x W expected"),
        (IMAGES, LABELS + 1, "1 is a name of a class, 10 is not"),
    ],
)
def test_files_that_do_not_fit(tmp_path, images, labels, message):
    save(tmp_path, images, labels)
    with pytest.raises(ValueError, match=message) as error:
        idx(tmp_path, DIGITS, **OPTIONS)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"t10k-images-idx3-ubyte: no such file, nor with \.gz"),
        (b"<html>", "not an IDX file of bytes"),
        (encoded(IMAGES)[:9], "not an IDX file of bytes"),
        (encoded(IMAGES)[:-1], r"239 bytes of pixels or labels, 240 expected"),
    ],
)
def test_files_that_are_no_idx(tmp_path, content, message):
    if content is not None:
        (tmp_path / OPTIONS["images"]).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        idx(tmp_path, DIGITS, images=OPTIONS["images"])
