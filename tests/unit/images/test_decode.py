"""Decoding: every mode, orientation and kind of damage, on pictures small enough to know."""

import io
import struct
import warnings
import zlib

import numpy as np
import pytest
from PIL import Image, ImageFile

from robusteval.images import _decode
from robusteval.images._decode import picture_of

RNG = np.random.default_rng(0)
RGB = RNG.integers(0, 256, (5, 7, 3), np.uint8)
GREY = RGB[..., 0]


def stored(image, form="PNG", **options):
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def pixels(content, **options):
    return picture_of(content, "x.png", **options).pixels


@pytest.mark.parametrize("form", ["PNG", "BMP", "TIFF", "PPM"])
def test_colours_come_back_as_they_were(form):
    picture = picture_of(stored(Image.fromarray(RGB), form), "x")
    assert np.array_equal(picture.pixels, RGB) and picture.mode == "RGB"


def test_grey_is_the_same_in_three_channels():
    picture = picture_of(stored(Image.fromarray(GREY)), "x")
    assert np.array_equal(picture.pixels, np.stack([GREY] * 3, axis=2)) and picture.mode == "L"


@pytest.mark.parametrize("form", ["PNG", "TIFF", "PPM"])
def test_grey_of_16_bits_is_scaled_not_cut_off(form):
    levels = np.array([[0, 128, 129, 257, 32896, 65535]], np.uint16)
    found = pixels(stored(Image.fromarray(levels), form))
    assert found[0, :, 0].tolist() == [0, 0, 1, 1, 128, 255]  # nearest to level / 257
    assert (found == found[..., :1]).all()


def test_black_and_white():
    bits = stored(Image.fromarray(GREY).convert("1"))
    assert set(np.unique(pixels(bits))) == {0, 255}


@pytest.mark.parametrize("mode", ["RGBA", "LA"])
def test_transparent_pixels_are_laid_over_white(mode):
    alpha = np.array([0, 255, 51] * 11 + [0, 255], np.uint8).reshape(5, 7)
    colours = RGB if mode == "RGBA" else GREY[..., None]
    content = stored(Image.fromarray(np.concatenate([colours, alpha[..., None]], axis=2)))
    share = alpha[..., None] / 255
    expected = colours * share + 255 * (1 - share)
    # Blending is in whole numbers, within a level of the exact value.
    assert np.abs(pixels(content) - expected).max() <= 1
    assert (pixels(content)[alpha == 0] == 255).all()


def test_a_palette_with_and_without_a_transparent_entry():
    image = Image.new("P", (2, 1))
    image.putpalette([10, 20, 30, 40, 50, 60])
    image.putpixel((1, 0), 1)
    assert pixels(stored(image))[0].tolist() == [[10, 20, 30], [40, 50, 60]]
    for form, transparency in (("PNG", 1), ("PNG", b"\xff\x00"), ("GIF", 1)):
        content = stored(image, form, transparency=transparency)
        assert pixels(content)[0].tolist() == [[10, 20, 30], [255, 255, 255]]


def test_a_transparent_colour():
    image = Image.fromarray(np.array([[[1, 2, 3], [4, 5, 6]]], np.uint8))
    assert pixels(stored(image, transparency=(4, 5, 6)))[0].tolist() == [[1, 2, 3], [255] * 3]


def test_cmyk_looks_like_the_picture_it_was_made_of():
    smooth = Image.fromarray(RGB).resize((64, 64), Image.Resampling.BICUBIC)
    content = stored(smooth.convert("CMYK"), "JPEG", quality=100)
    found = picture_of(content, "x")
    assert found.mode == "CMYK"
    # JPEG of quality 100 on a smooth picture; an inverted one would be off by 100 and more.
    assert np.abs(found.pixels.astype(int) - np.asarray(smooth)).mean() < 3


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("tag", range(1, 9))
def test_the_orientation_is_applied_or_ignored(form, tag):
    corner = np.zeros((48, 80, 3), np.uint8)  # white in one corner, at the left a grey band
    corner[:16, :16], corner[16:, :16] = 255, 128
    exif = Image.Exif()
    exif[0x0112] = tag
    options = {"lossless": True} if form == "WEBP" else {}
    content = stored(Image.fromarray(corner), form, exif=exif, **options)
    turned = {
        1: corner, 2: corner[:, ::-1], 3: corner[::-1, ::-1], 4: corner[::-1],
        5: corner.swapaxes(0, 1), 6: np.rot90(corner, -1),
        7: np.rot90(corner, 2).swapaxes(0, 1), 8: np.rot90(corner),
    }[tag]  # fmt: skip
    for expected, options in ((turned, {}), (corner, {"orientation": "ignore"})):
        found = pixels(content, **options)
        # Blocks of 16 pixels of one shade pass JPEG within rounding.
        assert found.shape == expected.shape and np.abs(found - expected.astype(int)).max() <= 2


def test_a_damaged_exif_tag_leaves_the_picture():
    content = stored(Image.fromarray(RGB), "JPEG", exif=b"Exif\x00\x00MM\x00*\x00\x00\x00\x08\xff")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pixels(content).shape == RGB.shape


def test_arrays_stay_as_they_are():
    assert picture_of(RGB, "x").pixels is RGB
    assert picture_of(GREY[..., None], "x").mode == "L"


def bomb(width, height):
    """Return the head of a PNG file of so many pixels, and no pixels."""
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))
    return b"\x89PNG\r\n\x1a\n" + chunk + struct.pack(">I", 0) + b"IDAT" + bytes(4)


PHOTO = stored(Image.fromarray(RNG.integers(0, 256, (40, 40, 3), np.uint8)), "JPEG")


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (PHOTO[: len(PHOTO) // 2], "truncated"),
        (stored(Image.fromarray(RGB))[:60], "truncated"),
        (b"", "an empty file"),
        (b"<html>quota exceeded</html>", "no picture format begins with '<html>quota "),
        (
            b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n",
            "no picture format begins with '%!PS",
        ),
        (stored(Image.fromarray(GREY.astype(np.float32)), "TIFF"), "mode F"),
        (stored(Image.fromarray(GREY.astype(np.int32) - 300), "TIFF"), "grey values from -"),
        (bomb(10_000, 9_000), "90,000,000 pixels, at most 89,478,485"),
        (bomb(60_000, 60_000), "3600000000 pixels"),
    ],
)
def test_damage_names_the_file_and_the_cause(content, cause):
    with pytest.raises(ValueError, match=r"a/x\.jpg: cannot be read as an image: ") as error:
        picture_of(content, "a/x.jpg")
    assert cause in str(error.value) and "\n" not in str(error.value)


def test_damage_is_found_even_if_another_library_would_hide_it(monkeypatch):
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    with pytest.raises(ValueError, match="truncated"):
        picture_of(PHOTO[: len(PHOTO) // 2], "x.jpg")
    assert ImageFile.LOAD_TRUNCATED_IMAGES is True  # given back as it was


def test_no_part_of_a_file_passes_for_the_whole():
    for cut in range(0, len(PHOTO) - 1, 3):  # without the very last byte it is still whole
        with pytest.raises(ValueError, match="cannot be read"):
            picture_of(PHOTO[:cut], "x.jpg")


def test_of_several_pictures_in_a_file_the_first_counts():
    for form in ("MPO", "GIF", "TIFF"):
        frames = [Image.fromarray(np.full((8, 8, 3), level, np.uint8)) for level in (40, 200)]
        content = stored(frames[0], form, save_all=True, append_images=frames[1:])
        assert (
            np.abs(pixels(content).astype(int) - 40).max() <= 2
        )  # one shade, JPEG within rounding


def test_an_unknown_orientation():
    with pytest.raises(ValueError, match="orientation: 'auto': one of apply, ignore expected"):
        picture_of(PHOTO, "x", orientation="auto")
    assert "EPS" not in _decode.FORMATS
