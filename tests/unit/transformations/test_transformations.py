"""Transformations that defend: what they do to images, and what every one of them promises."""

import pytest
import torch
from PIL import Image

from robusteval import plugins
from robusteval.batches import as_tensor
from robusteval.transformations import _blocks
from robusteval.transformations.jpeg import jpeg, smooth
from robusteval.transformations.resize_pad import resize_pad

NONE = torch.zeros(0, 0)


def photographs(count=4, channels=3, height=30, width=44):
    """Return smooth images (N, C, H, W) of 8 bits."""
    draws = torch.Generator().manual_seed(1)
    coarse = torch.rand(count, channels, 5, 6, generator=draws)
    fine = torch.nn.functional.interpolate(coarse, (height, width), mode="bicubic")
    return (fine.clamp(0, 1) * 255).round() / 255


@pytest.mark.parametrize("name", plugins.names("transformations"))
@pytest.mark.parametrize("channels", [1, 3])
def test_every_transformation_gives_images_and_treats_each_by_itself(name, channels):
    images = photographs(20, channels)
    numbers = torch.rand(20, 3, generator=torch.Generator().manual_seed(2))
    before = images.clone()
    transform = plugins.load("transformations", name)
    whole = transform(images, numbers)
    assert whole.dtype == torch.float32 and len(whole) == 20
    assert whole.min() >= 0 and whole.max() <= 1 and torch.equal(images, before)
    order = torch.randperm(20, generator=torch.Generator().manual_seed(3))
    assert torch.equal(transform(images[order], numbers[order]), whole[order])
    assert torch.equal(transform(images[7:8], numbers[7:8]), whole[7:8])


@pytest.mark.parametrize("channels", [1, 3])
def test_jpeg_is_what_a_file_holds(tmp_path, channels):
    image = photographs(1, channels)
    pixels = (image[0] * 255).round().byte().permute(1, 2, 0).numpy()
    Image.fromarray(pixels.squeeze()).save(tmp_path / "x.jpg", quality=60)
    with Image.open(tmp_path / "x.jpg") as file:
        expected = torch.frombuffer(bytearray(file.tobytes()), dtype=torch.uint8)
    expected = expected.view(1, 30, 44, channels)
    found = jpeg(image, NONE, quality=60)
    assert torch.equal(found, as_tensor(expected.numpy()))
    assert not torch.equal(found, image)


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("quality", [30, 75])
def test_the_stand_in_is_near_the_file_and_has_its_slope(channels, quality):
    images = photographs(4, channels)
    hard = _blocks.compressed(images, quality, torch.round)
    written = jpeg(images, NONE, quality=quality)
    # The encoder rounds pixels and, in colour, other values on the way: a grey level or two.
    assert (hard - written).abs().mean() < 1.2 / 255
    assert (smooth(images, NONE, quality=quality) - hard).abs().mean() < 2 / 255
    x = images.double().clamp(0.1, 0.9).requires_grad_()
    (slope,) = torch.autograd.grad(smooth(x.float(), NONE, quality=quality).sum(), x)
    assert slope.isfinite().all() and slope.abs().max() > 0


def test_a_quality_without_rounding_changes_nothing():
    images = photographs(2, 1)
    kept = _blocks.compressed(images, 75, lambda values: values)
    assert (kept - images).abs().max() < 1e-5  # float32 sums of 64 products


def test_an_image_is_somewhere_on_its_canvas():
    images = torch.full((500, 1, 20, 20), 1.0)
    numbers = torch.rand(500, 3, generator=torch.Generator().manual_seed(4))
    moved = resize_pad(images, numbers, smallest=0.8, largest=1.2)
    assert moved.shape == (500, 1, 24, 24)
    rows, columns = (moved[:, 0].amax(axis) > 0.5 for axis in (2, 1))
    assert torch.equal(rows.sum(1), columns.sum(1))
    heights = rows.sum(1)
    assert set(heights.tolist()) == set(range(16, 25))  # all of them, and no others
    tops = rows.float().argmax(1)
    assert set(tops[heights == 16].tolist()) == set(range(9))
    assert (moved[:, 0].sum((1, 2)) - heights**2).abs().max() < 1e-2  # white, in one piece


def test_the_defaults_are_those_of_the_paper():
    assert resize_pad(torch.zeros(1, 1, 299, 299), torch.zeros(1, 3)).shape[2:] == (331, 331)
    with pytest.raises(ValueError, match=r"smallest 1\.2, largest 1"):
        resize_pad(torch.zeros(1, 1, 8, 8), torch.zeros(1, 3), smallest=1.2, largest=1)
    with pytest.raises(ValueError, match="quality 0"):
        jpeg(torch.zeros(1, 1, 8, 8), NONE, quality=0)
