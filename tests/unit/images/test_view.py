"""Views, held to timm's own transform for validation to the pixel."""

import io

import numpy as np
import pytest
from PIL import Image
from timm.data import create_transform

from robusteval.images._decode import picture_of
from robusteval.images._folder import folder_of
from robusteval.images._view import View, view_of, viewed

MODES = {"center": "shorter_side", "squash": "squash", "border": "border"}
VIEWS = [
    (224, 0.875),
    (240, 0.882),
    (260, 0.904),
    (224, 0.9),
    (288, 1.0),
    (256, 0.95),
    (299, 0.875),
]
# Height and width: narrow, smaller than the crop, odd and even differences, already of the size.
SIZES = [(3, 50), (50, 3), (10, 10), (223, 225), (224, 224), (257, 256), (100, 333), (331, 517)]


@pytest.fixture(scope="module")
def photographs():
    paths = sorted(folder_of("package:foolbox/data").glob("imagenet_*.jpg"))
    assert len(paths) == 20
    return [Image.open(path).convert("RGB") for path in paths]


@pytest.fixture(scope="module")
def odd():
    rng = np.random.default_rng(0)
    return [Image.fromarray(rng.integers(0, 256, (*size, 3), np.uint8)) for size in SIZES]


def timms(image, size, fraction, interpolation, mode, trim=None):
    transform = create_transform(
        size,
        is_training=False,
        interpolation=interpolation,
        crop_pct=fraction,
        crop_mode=mode,
        crop_border_pixels=trim,
        normalize=False,
    )
    return transform(image).permute(1, 2, 0).numpy()


@pytest.mark.parametrize("interpolation", ["bilinear", "bicubic"])
@pytest.mark.parametrize(("size", "fraction"), VIEWS)
def test_photographs_as_timm_has_them(photographs, size, fraction, interpolation):
    view = View(size, fraction, interpolation)
    for image in photographs:
        expected = timms(image, size, fraction, interpolation, "center")
        assert np.array_equal(viewed(np.asarray(image), view), expected)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("interpolation", ["bilinear", "bicubic", "nearest", "lanczos"])
@pytest.mark.parametrize(("size", "fraction"), [(224, 0.875), (64, 0.9), (96, 1.0), (64, 1.3)])
def test_odd_sizes_as_timm_has_them(odd, size, fraction, interpolation, mode):
    view = View(size, fraction, interpolation, MODES[mode])
    for image in odd:
        expected = timms(image, size, fraction, interpolation, mode)
        assert np.array_equal(viewed(np.asarray(image), view), expected), image.size


@pytest.mark.parametrize("trim", [1, 2, 5])
def test_a_frame_is_taken_off_as_timm_does(photographs, trim):
    image = photographs[0].crop((0, 0, 301, 200))
    expected = timms(image, 224, 0.875, "bicubic", "center", trim)
    assert np.array_equal(viewed(np.asarray(image), View(224, trim=trim)), expected)
    as_stored = viewed(np.asarray(image), View(trim=trim))
    assert as_stored.shape == (200 - 2 * trim, 301 - 2 * trim, 3)
    with pytest.raises(ValueError, match="no room to trim"):
        viewed(np.zeros((2 * trim, 50, 3), np.uint8), View(224, trim=trim))


def test_the_scale_is_that_of_the_tensors_that_models_get(photographs):
    from timm.data.transforms import MaybeToTensor

    view = View(224)
    pixels = viewed(np.asarray(photographs[0]), view)
    tensor = MaybeToTensor()(Image.fromarray(pixels))
    assert np.array_equal((tensor * 255).round().permute(1, 2, 0).numpy(), pixels)


def test_ignoring_the_orientation_is_what_timm_does(photographs):
    out = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6
    photographs[0].crop((0, 0, 300, 200)).save(out, "JPEG", exif=exif)
    picture = picture_of(out.getvalue(), "x", orientation="ignore")
    expected = timms(Image.open(out).convert("RGB"), 224, 0.875, "bicubic", "center")
    assert np.array_equal(viewed(picture.pixels, View(224)), expected)


def test_grey_arrays_keep_their_one_channel():
    grey = np.random.default_rng(0).integers(0, 256, (28, 20, 1), np.uint8)
    for resize in ("shorter_side", "border"):
        view = View(16, 1.0, "bilinear", resize, (7, 7, 7))
        small, three = viewed(grey, view), viewed(np.repeat(grey, 3, axis=2), view)
        assert small.shape == (16, 16, 1)
        assert np.array_equal(np.repeat(small, 3, axis=2), three)


def test_as_stored_changes_nothing():
    picture = np.zeros((3, 5, 3), np.uint8)
    assert viewed(picture, view_of("as_stored")) is picture


def test_too_narrow_to_be_resized():
    with pytest.raises(ValueError, match="2000 x 1 pixels are too narrow: 512000 x 256 when"):
        viewed(np.zeros((1, 2000, 3), np.uint8), View(224))
    with pytest.raises(ValueError, match="600 x 1 pixels are too narrow: 256 x 0 when"):
        viewed(np.zeros((1, 600, 3), np.uint8), View(224, resize="border"))


def test_a_view_in_a_catalogue():
    entry = {"size": 96, "crop_fraction": 1, "resize": "border", "fill": [1, 2, 3]}
    assert view_of(entry) == View(96, 1, "bicubic", "border", (1, 2, 3))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"size": 0}, "size: 0: a number of pixels"),
        ({"size": 224, "crop_fraction": 0}, "crop_fraction: 0: more than 0"),
        ({"size": 224, "interpolation": "cubic"}, "'cubic': one of nearest, .*bicubic"),
        ({"size": 224, "resize": "crop"}, "'crop': one of shorter_side, squash, border"),
        ({"size": 224, "trim": -1}, "trim: -1: a number of pixels expected"),
        ({"crop_fraction": 1.0}, "size at least"),
        (
            {"size": 224, "pad": 1},
            "a mapping of size, crop_fraction, interpolation, resize, fill, trim",
        ),
        ("original", "'original': as_stored, or"),
    ],
)
def test_views_that_are_none(entry, message):
    with pytest.raises(ValueError, match=message):
        view_of(entry)


def test_channels_make_pictures_grey_or_rgb_and_leave_what_fits():
    colours = np.array([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [9, 9, 9]]], np.uint8)
    grey = viewed(colours, View(2, 1.0, "bilinear", channels=1))
    # 0.299, 0.587 and 0.114 of 255, the luma of ITU-R 601, to the nearest level
    assert grey.tolist() == [[[76], [150]], [[29], [9]]]
    rgb = viewed(grey, View(2, 1.0, "bilinear", channels=3))
    assert np.array_equal(rgb, np.repeat(grey, 3, axis=2))
    assert np.array_equal(viewed(colours, View(2, 1.0, "bilinear", channels=3)), colours)
    assert np.array_equal(viewed(grey, View(2, 1.0, "bilinear")), grey)
    with pytest.raises(ValueError, match=r"channels: 2: 1 .grey. or 3 .RGB. expected"):
        View(2, channels=2)
