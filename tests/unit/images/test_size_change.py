import pytest
import torch

from robusteval.images._size_change import RULES, at_size, described

IMAGES = torch.rand(2, 3, 8, 8, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("rule", RULES)
def test_images_of_the_size_are_left_alone(rule):
    assert at_size(IMAGES, (8, 8), rule) is IMAGES


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("size", [(10, 10), (5, 5), (11, 6)])
def test_size_and_range(rule, size):
    changed = at_size(IMAGES, size, rule)
    assert changed.shape == (2, 3, *size)
    assert changed.is_contiguous()
    assert changed.min() >= 0 and changed.max() <= 1


def test_resizing_does_not_round():
    levels = 255 * at_size(IMAGES, (10, 10))
    assert (levels - levels.round()).abs().max() > 0.1


def test_a_flat_image_stays_flat_when_resized():
    # The weights of a pixel sum to 1 but for float32 rounding.
    flat = at_size(torch.full((1, 3, 224, 224), 0.3), (260, 260))
    torch.testing.assert_close(flat, torch.full((1, 3, 260, 260), 0.3), atol=1e-6, rtol=0)


@pytest.mark.parametrize(("rule", "colour"), [("grey_padding", 0.5), ("white_padding", 1.0)])
def test_the_border_and_the_pixels_within(rule, colour):
    padded = at_size(IMAGES, (11, 11), rule)
    # Of three rows, one is above and two are below.
    assert torch.equal(padded[..., 1:9, 1:9], IMAGES)
    padded[..., 1:9, 1:9] = colour
    assert (padded == colour).all()


def test_a_crop_takes_the_middle():
    assert torch.equal(at_size(IMAGES, (4, 5), "grey_padding"), IMAGES[..., 2:6, 1:6])
    assert torch.equal(at_size(IMAGES, (4, 5), "white_padding"), IMAGES[..., 2:6, 1:6])


def test_padding_undone_by_the_crop_gives_the_same_bits():
    larger = at_size(IMAGES, (12, 12), "grey_padding")
    assert torch.equal(at_size(larger, (8, 8), "grey_padding"), IMAGES)


def test_one_side_may_grow_and_the_other_shrink():
    changed = at_size(IMAGES, (10, 6), "white_padding")
    assert torch.equal(changed[..., 1:9, :], IMAGES[..., 1:7])
    assert described((8, 8), (10, 6), "white_padding") == (
        "8 x 8 to 10 x 6, white border, centre cropped"
    )


@pytest.mark.parametrize(
    ("target", "rule", "text"),
    [
        ((8, 8), "grey_padding", "no"),
        ((9, 9), "bicubic", "8 x 8 to 9 x 9, bicubic, antialiased"),
        ((9, 9), "grey_padding", "8 x 8 to 9 x 9, grey border"),
        ((7, 7), "white_padding", "8 x 8 to 7 x 7, centre cropped"),
    ],
)
def test_it_is_described(target, rule, text):
    assert described((8, 8), target, rule) == text


@pytest.mark.parametrize("size", [(8, 8), (9, 9)])
def test_unknown_rule(size):
    with pytest.raises(ValueError, match="resize: 'crop': one of bicubic, grey_padding"):
        at_size(IMAGES, size, "crop")
    with pytest.raises(ValueError, match="resize: 'crop'"):
        described((8, 8), size, "crop")
