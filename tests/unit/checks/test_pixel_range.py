from dataclasses import replace

import numpy as np
import pytest

from robusteval.checks.pixel_range import pixel_range


@pytest.fixture
def found(subject, images):
    """Check ``change`` of the images (192, 12, 12, 3), cast to bytes."""

    def check(change):
        changed = np.asarray(change(images)).astype(np.int64).astype(np.uint8)
        return pixel_range(replace(subject(n=1), images=changed))

    return check


def test_the_numbers_are_those_of_the_images(found):
    ramp = found(lambda x: np.arange(256).reshape(1, 16, 16, 1))
    assert ramp.found == "Pixels of 1 images run from 0 to 255 of 255, mean 0.500."
    assert ramp.verdict == "ok"


@pytest.mark.parametrize(
    ("change", "verdict", "said"),
    [
        (lambda x: 0 * x, "wrong", "all are equal"),
        (lambda x: 0 * x + 255, "wrong", "all are equal"),
        (lambda x: x / 255 > 0.5, "wrong", "scaled to 0 to 1"),
        (lambda x: x / 255, "wrong", ""),  # all but 255 are cut to 0
        (lambda x: np.where(x > 127, 255, 0), "look", "only 2 values occur"),
        (lambda x: (x / 255 - 0.5) / 0.25, "look", "as normalised images cast to bytes do"),
        (lambda x: x // 40, "look", "nearly black"),
        (lambda x: 255 - x // 40, "look", "nearly white"),
        (lambda x: 100 + x // 10, "look", "grey values are spanned"),
    ],
)
def test_what_is_no_picture(found, change, verdict, said):
    finding = found(change)
    assert finding.verdict == verdict
    assert said in finding.found


def test_strong_contrast_is_no_normalisation(found):
    assert found(lambda x: np.where(x < 128, x // 8, 255 - (255 - x) // 8)).verdict == "ok"


@pytest.mark.parametrize("change", [lambda x: x // 2, lambda x: np.where(x < 190, 0, x)])
def test_dark_pictures_are_pictures(found, change):
    assert found(change).verdict == "ok"  # the second like MNIST: black but for a few strokes
