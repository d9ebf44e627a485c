"""Frost: what is laid over what, and what happens without the photographs."""

from pathlib import Path

import numpy as np
import pytest
import yaml
from PIL import Image

from robusteval.corruptions import _frost_photographs
from robusteval.corruptions._apply import corrupt
from robusteval.corruptions._frost_photographs import PHOTOGRAPHS, photograph
from robusteval.corruptions._resized import resized_part, resized_side
from robusteval.corruptions.frost import frost

ROOT = Path(__file__).parents[3]


def black(n, shape=(32, 32, 3)):
    return np.zeros((n, *shape), np.uint8)


def sources(n):
    return [np.random.default_rng(i) for i in range(n)]


def test_each_photograph_is_used_and_a_part_of_it_is_seen_as_it_is(made_up_ice):
    n = 60  # that one of five is never drawn has a chance of five times 0.8^60, 8 in a million
    result = frost(black(n), (1, 1, 1), sources(n))
    # A made-up photograph has its row in red, its column in green, its number in blue.
    top, left, number = np.moveaxis(result[:, 0, 0].astype(int), -1, 0)
    assert set(number) == {0, 50, 100, 150, 200}
    assert len(set(top)) > 10 and len(set(left)) > 10
    rows, columns = np.indices((32, 32))
    assert np.array_equal(result[..., 0], top[:, np.newaxis, np.newaxis] + rows)
    assert np.array_equal(result[..., 1], left[:, np.newaxis, np.newaxis] + columns)


def test_image_and_photograph_are_weighted_added_and_cut_off(made_up_ice):
    images = np.full((1, 32, 32, 3), (100, 201, 250), np.uint8)
    ice = frost(black(1), (1, 1, 1), sources(1)).astype(float)
    result = frost(images, (0.75, 0.625, 1), sources(1))  # exact in binary
    assert np.array_equal(result, np.minimum(0.75 * images + 0.625 * ice, 255).astype(np.uint8))
    assert (result == 255).any()


def test_grey_images_get_the_luma(made_up_ice):
    ice = frost(black(1), (1, 1, 1), sources(1)).astype(float)
    grey = frost(black(1, (32, 32, 1)), (1, 1, 1), sources(1))
    expected = ice @ np.array([0.299, 0.587, 0.114])
    assert np.array_equal(grey[..., 0], expected.astype(np.uint8))


@pytest.mark.parametrize("shape", [(28, 28, 1), (200, 90, 3), (90, 500, 3)])
def test_images_larger_than_the_photographs_see_them_enlarged(made_up_ice, shape):
    result = frost(black(4, shape), (1, 1, 0.2), sources(4))
    assert result.shape == (4, *shape)
    # Red rises from row to row, by a whole level where the photograph has its own size.
    rise = np.diff(result[..., :1].astype(int), axis=1)
    assert (rise >= 0).all() and rise.any()


@pytest.mark.parametrize("factor", [0.2, 0.3, 1.6])
def test_resizing_is_linear_between_the_two_nearest_pixels(factor):
    image = np.random.default_rng(0).integers(0, 256, (90, 120, 3), dtype=np.uint8)
    rows, columns = resized_side(90, factor), resized_side(120, factor)
    result = resized_part(image, factor, 0, 0, rows, columns).astype(float)

    def between(x, count):
        place = np.clip((np.arange(count) + 0.5) / factor - 0.5, 0, len(x) - 1)
        low = np.floor(place).astype(int)
        high = np.minimum(low + 1, len(x) - 1)
        share = (place - low)[:, np.newaxis, np.newaxis]
        return x[low] * (1 - share) + x[high] * share

    expected = between(between(image.astype(float), rows).swapaxes(0, 1), columns).swapaxes(0, 1)
    # Half a level of rounding; shares in 2048ths cost up to 255 / 4096 in each direction, and
    # two cuts to quarters of a level a little more.
    assert np.abs(result - expected).max() <= 1.0
    part = resized_part(image, factor, 5, 7, 10, 12)
    assert np.array_equal(part, result[5:15, 7:19])


def test_sides_are_rounded():
    assert [resized_side(315, 0.3), resized_side(527, 0.2), resized_side(495, 0.3)] == [
        94,
        105,
        148,
    ]


def test_a_missing_photograph_is_named_with_what_to_run(tmp_path, monkeypatch):
    monkeypatch.setattr(_frost_photographs, "FOLDER", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"frost\d\.(png|jpg): missing.*run `python -m rob"):
        corrupt(black(1), "frost", 1, sources(1), family="cifar10_c")


def test_the_photographs_are_looked_for_below_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=f"{tmp_path}/data/frost/frost1.png: missing"):
        photograph("frost1.png")


@pytest.mark.parametrize("damage", ["half", "another picture"])
def test_a_damaged_photograph_is_named_with_what_to_run(tmp_path, monkeypatch, damage, made_up_ice):
    for name in PHOTOGRAPHS:
        content = (made_up_ice / name).read_bytes()
        (tmp_path / name).write_bytes(content[: len(content) // 2])
        if damage == "another picture":
            Image.new("RGB", (640, 480)).save(tmp_path / name)
    monkeypatch.setattr(_frost_photographs, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"frost\d.*: SHA-256 is .* expected; .*python -m rob"):
        corrupt(black(1), "frost", 1, sources(1), family="cifar10_c")


def test_the_pin_and_the_code_name_the_same_files():
    pin = yaml.safe_load((ROOT / "data" / "frost.dvc").read_text())
    assert pin["meta"]["sha256"] == PHOTOGRAPHS
    assert pin["meta"]["licence"] == "Apache-2.0"
    assert pin["outs"][0]["nfiles"] == len(PHOTOGRAPHS) == 5


def test_the_published_photographs_are_read_in_colour(published_ice):
    shapes = [photograph(name).shape for name in PHOTOGRAPHS]
    assert shapes == [(600, 900, 3), (315, 560, 3), (315, 560, 3), (350, 527, 3), (495, 660, 3)]
    assert all(np.ptp(photograph(name), axis=-1).any() for name in PHOTOGRAPHS)
