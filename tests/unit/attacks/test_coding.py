import numpy as np
import pytest
from safetensors.numpy import save_file

from robusteval.attacks._coding import coded, decoded, read_images

SHAPE = (3, 5, 7, 3)  # 315 values: no multiple of four


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture
def clean(rng):
    pixels = rng.integers(0, 256, SHAPE, np.uint8)
    pixels[0, 0, :, 0], pixels[0, 1, :, 0] = 0, 255  # where a step leads out
    return pixels


def start(clean):
    return clean.transpose(0, 3, 1, 2).astype(np.float32) / np.float32(255)


def bits(images):
    return np.ascontiguousarray(images).view(np.uint32)


@pytest.mark.parametrize("eps", [0.1, 1 / 255, 0.3])
def test_steps_of_one_size_keep_their_signs(rng, clean, eps):
    signs = rng.integers(-1, 2, start(clean).shape).astype(np.float32)
    images = np.clip(start(clean) + np.float32(eps) * signs, 0, 1)
    form = coded(images, clean, eps)
    assert set(form) == {"clean", "signs", "eps"}
    assert form["signs"].nbytes == -(-images.size // 4)
    assert np.array_equal(bits(decoded(form)), bits(images))


def test_steps_of_other_sizes_are_not_taken_for_signs(rng, clean):
    images = np.clip(start(clean) + np.float32(0.05), 0, 1)
    form = coded(images, clean, 0.1)
    assert "signs" not in form
    assert np.array_equal(bits(decoded(form)), bits(images))


def test_few_moved_pixels_are_compressed(rng, clean):
    images = start(clean)
    images[:, 0, 2, 2] = rng.random(3)
    form = coded(images, clean)
    assert set(form) == {"clean", "bits"} and form["bits"].nbytes < images.nbytes / 4
    assert np.array_equal(bits(decoded(form)), bits(images))


def test_noise_is_kept_as_it_is(rng, clean):
    images = rng.random(start(clean).shape, np.float32)
    assert set(coded(images, clean)) == {"images"}


def test_a_zero_with_a_sign_keeps_it(clean):
    images = start(clean)
    images[:] = -0.0
    assert np.array_equal(bits(decoded(coded(images, clean))), bits(images))


def test_images_come_back_from_a_file(rng, clean, tmp_path):
    images = np.clip(start(clean) + np.float32(0.1), 0, 1)
    form = coded(images, clean, 0.1) | {"steps": np.arange(3)}
    save_file({key: np.ascontiguousarray(array) for key, array in form.items()}, tmp_path / "a")
    assert np.array_equal(bits(read_images(tmp_path / "a")), bits(images))
