"""Perturbations that move the image, against a second way to the same pixels."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch
import torchvision.transforms.functional as F
from PIL import Image
from scipy.ndimage import affine_transform

from robusteval.perturbations._apply import perturb
from robusteval.perturbations._sequences import constants
from robusteval.perturbations.tilt import tilt

TILT = Path(__file__).parents[2] / "fixtures" / "perturbations" / "tilt.npz"
IMAGE = np.random.default_rng(3).integers(256, size=(1, 32, 36, 3), dtype=np.uint8)
FAMILIES = ("imagenet_p", "cifar10_p")


def frames_of(kind, family="cifar10_p", image=IMAGE):
    return perturb(image, kind, [None], family=family)[0]


def turned(degrees):
    angle = math.radians(degrees)
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def leaning(degrees):
    angle = math.radians(degrees)
    return np.array([[1, -math.sin(angle)], [0, math.cos(angle)]])


MATRICES = {
    "rotate": ("degrees", turned),
    "scale": ("factors", lambda factor: np.diag([factor, factor])),
    "shear": ("degrees", leaning),
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", MATRICES)
def test_pixels_come_from_where_the_inverse_matrix_says(kind, family):
    key, matrix_of = MATRICES[kind]
    values = constants(kind, family=family)[key]
    height, width = IMAGE.shape[1:3]
    # The centre is half a pixel off the middle, and the first pixel lies at half a pixel.
    centre = np.array([height, width]) / 2 + 0.5
    for value, frame in zip(values, frames_of(kind, family), strict=True):
        inverse = np.linalg.inv(matrix_of(value))[::-1, ::-1]  # rows before columns
        offset = centre - inverse @ centre + inverse @ np.array([0.5, 0.5]) - 0.5
        grid = np.stack(np.mgrid[:height, :width], -1) @ inverse.T + offset
        far = (grid < -0.5 - 1e-6) | (grid > np.array([height, width]) - 0.5 + 1e-6)
        inside = ((grid >= 0) & (grid <= np.array([height, width]) - 1)).all(-1)
        assert (frame[far.any(-1)] == 0).all()
        for channel in range(3):
            plane = IMAGE[0, ..., channel].astype(np.float64)
            exact = affine_transform(plane, inverse, offset, order=1)
            cut = (exact - frame[..., channel])[inside]
            # Cut off to whole levels: less than one below. 1e-6 is for the other order of sums.
            assert inside.sum() > 100
            assert cut.min() > -1e-6 and cut.max() < 1 + 1e-6


@pytest.mark.parametrize(("kind", "still"), [("rotate", 15), ("scale", 15), ("shear", 15)])
def test_where_nothing_moves_the_image_is_itself(kind, still):
    assert np.array_equal(frames_of(kind)[still], IMAGE[0])


def test_positive_angles_turn_clockwise():
    image = np.zeros((1, 33, 33, 1), np.uint8)
    image[0, 4:8, 14:19] = 255  # a mark at the top
    seen = frames_of("rotate", image=image)[-1][..., 0]
    assert np.average(np.arange(33), weights=seen.sum(0)) > 17  # goes to the right


@pytest.mark.parametrize(("family", "first"), [("imagenet_p", -20), ("cifar10_p", -7)])
def test_translate_moves_by_a_pixel_a_frame_and_lets_black_in(family, first):
    for shift, frame in enumerate(frames_of("translate", family), start=first):
        padded = np.pad(IMAGE[0], ((0, 0), (36, 36), (0, 0)))
        assert np.array_equal(frame, padded[:, 36 - shift : 72 - shift])


def test_zoom_blur_is_the_mean_of_ever_nearer_views_in_float32():
    frames = frames_of("zoom_blur")
    assert np.array_equal(frames[0], IMAGE[0])
    picture = Image.fromarray(IMAGE[0])
    total = F.to_tensor(picture)
    for t in range(1, 31):
        nearer = F.affine(
            picture,
            angle=0,
            translate=[0, 0],
            scale=1 + 0.004 * t,
            shear=[0, 0],
            interpolation=F.InterpolationMode.BILINEAR,
            center=[18.5, 16.5],
        )
        total += F.to_tensor(nearer)
        expected = (total / (t + 1)).mul(255).to(torch.uint8).permute(1, 2, 0).numpy()
        assert np.array_equal(frames[t], expected)


def test_tilt_gives_the_pixels_of_opencv():
    # warpPerspective of OpenCV 4.5.5 with the matrices of the published script.
    published = np.load(TILT)
    frames = tilt(published["image"][np.newaxis], [], degrees=published["degrees"].tolist())[0]
    assert np.array_equal(frames, published["frames"])


@pytest.mark.parametrize(("family", "degrees"), [("imagenet_p", 15), ("cifar10_p", 11.25)])
def test_tilt_goes_from_one_side_to_the_other(family, degrees):
    frames = frames_of("tilt", family)
    for frame, angle in ((frames[0], -degrees), (frames[-1], degrees)):
        assert np.array_equal(frame, tilt(IMAGE, [], degrees=[angle])[0, 0])
