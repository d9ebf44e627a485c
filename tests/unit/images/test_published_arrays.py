"""Published sets of arrays: CIFAR-10-C and MNIST-C, out of files with holes instead of pixels."""

import numpy as np
import pytest

from robusteval import plugins
from robusteval.images.published._release import Chosen
from robusteval.seeds import generator

LABELS = generator(0, "labels").integers(10, size=10_000)
IDS = np.array([9_999, 0, 17])
SHAPES = {"cifar10_c": (50_000, 32, 32, 3), "mnist_c": (10_000, 28, 28, 1)}
FILES = {
    "cifar10_c": ("fog.npy", "labels.npy"),
    "mnist_c": ("fog/test_images.npy", "fog/test_labels.npy"),
}


@pytest.fixture
def unpack(tmp_path):
    """Write a release whose chosen images are random and all others black; return its folder."""

    def release(name, *, shape=None, labels=None, dtype=np.uint8):
        shape = shape or SHAPES[name]
        images, truth = (tmp_path / file for file in FILES[name])
        images.parent.mkdir(parents=True, exist_ok=True)
        array = np.lib.format.open_memmap(images, "w+", dtype, shape)
        for start in range(0, shape[0], 10_000):
            array[start + IDS] = generator(0, start).integers(256, size=(3, *shape[1:]))
        array.flush()
        np.save(truth, np.tile(LABELS, shape[0] // 10_000) if labels is None else labels)
        return tmp_path

    return release


def chosen(ids=IDS, labels=None):
    return Chosen(ids, LABELS[ids] if labels is None else labels)


def read(folder, name, wanted=None, corruption="fog"):
    return plugins.load("images.published", name)(folder, corruption, wanted or chosen())


@pytest.mark.parametrize("name", SHAPES)
def test_images_come_in_the_order_asked_for(unpack, name):
    published = read(unpack(name), name)
    assert published.shape == SHAPES[name][1:]
    assert published.severities == ((1,) if name == "mnist_c" else (1, 2, 3, 4, 5))
    for severity in published.severities:
        (images,) = published.blocks(severity)
        expected = generator(0, 10_000 * (severity - 1)).integers(256, size=images.shape)
        assert images.dtype == np.uint8 and np.array_equal(images, expected)


def test_mnist_c_has_the_clean_images_too(unpack, tmp_path):
    unpack("mnist_c")
    (tmp_path / "fog").rename(tmp_path / "identity")
    assert len(next(read(tmp_path, "mnist_c", corruption="identity").blocks(1))) == 3


@pytest.mark.parametrize("name", SHAPES)
def test_what_is_refused(unpack, name):
    def refused(folder, message, **asked):
        with pytest.raises(ValueError, match=message) as error:
            read(folder, name, **asked)
        assert "\n" not in str(error.value)

    folder = unpack(name)
    refused(folder, "no corruption 'saturated'; it has", corruption="saturated")
    refused(folder, "snow.*not there" if name == "cifar10_c" else "zigzag.*: not there",
            corruption="snow" if name == "cifar10_c" else "zigzag")  # fmt: skip
    other = LABELS[IDS].copy()
    other[1] = (other[1] + 1) % 10
    refused(
        folder,
        f"the labels of 1 of 3 images differ .* the first is image 0: {LABELS[0]} here, {other[1]}",
        wanted=chosen(labels=other),
    )
    ids = np.array([3, 10_000])
    refused(folder, "image 10000 is not among", wanted=chosen(ids, np.array([0, 0])))

    unpack(name, dtype=np.float32)
    refused(folder, "values of type float32, uint8 expected")
    unpack(name, shape=(10_000, *SHAPES[name][1:-1], 4))
    refused(folder, r"shape \(10000, .*, 4\), \(\d+, .*\) expected")
    unpack(name, labels=LABELS[:100])
    refused(folder, r"labels.npy: shape \(100,\), \(\d+,\) expected")
    unpack(name, labels=np.zeros(SHAPES[name][0]))
    refused(folder, "labels.npy: values of type float64, integers expected")
    (folder / FILES[name][0]).write_bytes(b"no array")
    refused(folder, "damaged")


def test_labels_are_checked_at_every_severity(unpack):
    labels = np.tile(LABELS, 5)
    labels[40_000 + 17] = (labels[40_000 + 17] + 1) % 10
    with pytest.raises(
        ValueError, match=r"1 of 3 images differ .* the first is image 17: \d and \d"
    ):
        read(unpack("cifar10_c", labels=labels), "cifar10_c")


def test_a_file_cut_short_is_refused(unpack):
    folder = unpack("mnist_c")
    path = folder / FILES["mnist_c"][0]
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"test_images.npy: damaged \("):
        read(folder, "mnist_c")


def test_chosen_images_have_one_length():
    with pytest.raises(ValueError, match=r"lengths \[2, 3\]: one N expected"):
        Chosen(IDS, LABELS[IDS], ("a", "b"))
    with pytest.raises(ValueError, match=r"lengths \[0\]"):
        Chosen(IDS[:0], LABELS[:0])
