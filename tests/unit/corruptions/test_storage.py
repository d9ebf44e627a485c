"""What storing does to corrupted images."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from robusteval.corruptions._storage import STORAGES, stored
from robusteval.seeds import generator


def images(shape):
    return generator(0, "storage").integers(256, size=shape, dtype=np.uint8)


def as_released(image):
    file = BytesIO()
    picture = Image.fromarray(image[..., 0] if image.shape[2] == 1 else image)
    picture.save(file, "JPEG", quality=85, optimize=True)
    return np.asarray(Image.open(file)).reshape(image.shape)


@pytest.mark.parametrize("shape", [(3, 64, 64, 3), (2, 28, 28, 1), (1, 37, 50, 3)])
def test_jpeg_85_gives_the_pixels_of_an_optimised_file(shape):
    clean = images(shape)
    before = clean.copy()
    compressed = stored(clean, "jpeg_85")
    assert np.array_equal(compressed, np.stack([as_released(image) for image in clean]))
    assert compressed.dtype == np.uint8 and np.array_equal(clean, before)
    assert not np.array_equal(compressed, clean)


def test_an_array_loses_nothing():
    clean = images((2, 32, 32, 3))
    assert np.array_equal(stored(clean, "array"), clean)


def test_an_unknown_storage_is_refused():
    with pytest.raises(ValueError, match=r"unknown storage 'png'; there are array, jpeg_85"):
        stored(images((1, 32, 32, 3)), "png")
    assert STORAGES == ("array", "jpeg_85")
