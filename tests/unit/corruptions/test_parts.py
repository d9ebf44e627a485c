"""Which corruptions a published mean is over."""

import pytest

from robusteval.corruptions._parts import EXTRA, FIFTEEN, MNIST_FIFTEEN, members, part_of


def test_fifteen_and_four():
    assert (len(set(FIFTEEN)), len(set(EXTRA)), len(set(MNIST_FIFTEEN))) == (15, 4, 15)
    assert not set(FIFTEEN) & set(EXTRA)


@pytest.mark.parametrize(
    ("corruption", "family", "part"),
    [
        ("fog", "imagenet_c", "fifteen"),
        ("fog", None, "fifteen"),
        ("spatter", "cifar10_c", "extra"),
        ("spatter", "mnist_c", "fifteen"),
        ("zigzag", "mnist_c", "fifteen"),
        ("zigzag", "imagenet_c", "other"),
        ("snow", "mnist_c", "other"),
        ("identity", "mnist_c", "other"),
    ],
)
def test_parts(corruption, family, part):
    assert part_of(corruption, family) == part
    assert part == "other" or corruption in members(part, family)


def test_mnist_c_has_no_extra_ones():
    assert members("extra", "mnist_c") == () == members("other", None)
