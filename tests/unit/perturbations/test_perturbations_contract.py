"""What holds for every perturbation, found by its file."""

import inspect

import numpy as np
import pytest

from robusteval.perturbations import _apply
from robusteval.perturbations._apply import perturb
from robusteval.perturbations._sequences import (
    FAMILIES,
    NOISE,
    PARTS,
    WIDER,
    constants,
    frames_of,
    reference_of,
)
from robusteval.plugins import load, names
from robusteval.seeds import generator

ALL = names("perturbations")
SHAPES = [(28, 28, 1), (32, 32, 3), (30, 41, 3)]
EACH = [(kind, family) for kind in ALL for family in FAMILIES]
N = 3


def pictures(shape, n=N):
    """Return images (n, H, W, C) with large and small structure."""
    source = np.random.default_rng(7)
    rows, columns = np.mgrid[: shape[0], : shape[1], :1][:2]
    waves = np.stack([np.sin(rows / (3 + i) + i) + np.cos(columns / (4 + i)) for i in range(n)])
    noise = source.normal(scale=0.3, size=(n, *shape))
    return np.clip(127.5 + 60 * (waves + noise), 0, 255).astype(np.uint8)


def draw(images, kind, *, family="cifar10_p", ids=None, side=None):
    ids = range(len(images)) if ids is None else ids
    generators = [generator(0, kind, i) for i in ids]
    return perturb(images, kind, generators, family=family, side=side)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("kind", "family"), EACH)
def test_a_sequence_of_frames_an_image(kind, family, shape):
    images = pictures(shape)
    made = draw(images, kind, family=family)
    assert made.shape == (N, frames_of(kind, family=family), *shape)
    assert made.dtype == np.uint8
    assert all((sequence[0] != sequence[-1]).any() for sequence in made)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", ALL)
def test_an_image_is_the_same_alone_in_any_order_and_in_any_block(kind, shape, monkeypatch):
    images = pictures(shape)
    together = draw(images, kind)
    for i in range(N):
        assert np.array_equal(draw(images[i : i + 1], kind, ids=[i])[0], together[i])
    order = [2, 0, 1]
    assert np.array_equal(draw(images[order], kind, ids=order), together[order])
    monkeypatch.setattr(_apply, "BLOCK_VALUES", 2 * images[0].size)
    assert np.array_equal(draw(images, kind), together)


@pytest.mark.parametrize("kind", ALL)
def test_the_same_call_gives_the_same_and_leaves_the_input(kind):
    images = pictures((32, 32, 3))
    before = images.copy()
    images.flags.writeable = False  # a memory-mapped image set is read-only too
    assert np.array_equal(draw(images, kind), draw(images, kind))
    assert np.array_equal(images, before)
    assert np.array_equal(draw(np.asfortranarray(images), kind), draw(images, kind))


@pytest.mark.parametrize("kind", ALL)
def test_randomness_comes_from_the_generator_alone(kind):
    images = pictures((32, 32, 3), n=1)
    np.random.seed(0)
    first = draw(images, kind)
    np.random.seed(1)
    assert np.array_equal(draw(images, kind), first)
    drawn = "draws nothing" not in (load("perturbations", kind).__doc__ or "").lower()
    assert drawn == (not np.array_equal(draw(images, kind, ids=[9]), first))


@pytest.mark.parametrize("kind", ALL)
def test_no_images_give_no_sequences(kind):
    made = draw(np.zeros((0, 32, 32, 3), np.uint8), kind)
    assert made.shape == (0, frames_of(kind, family="cifar10_p"), 32, 32, 3)


@pytest.mark.parametrize("kind", ALL)
def test_frames_are_cut_from_the_centre_of_larger_images(kind):
    images = pictures((40, 44, 3))
    cut = images[:, 4:36, 6:38]
    made = draw(images, kind, side=32)
    if kind in WIDER:
        assert np.array_equal(made, draw(images, kind)[:, :, 4:36, 6:38])
        assert not np.array_equal(made, draw(cut, kind))  # the margin moves in, and not black
    else:
        assert np.array_equal(made, draw(cut, kind))


@pytest.mark.parametrize(("kind", "family"), EACH)
def test_the_constants_are_the_keyword_arguments(kind, family):
    parameters = inspect.signature(load("perturbations", kind)).parameters.values()
    keywords = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    assert set(constants(kind, family=family)) == keywords


@pytest.mark.parametrize("family", FAMILIES)
def test_ten_kinds_and_four_extra_ones_are_all_there_are(family):
    ten, extra = PARTS[family]["ten"], PARTS[family]["extra"]
    assert (len(ten), len(extra)) == (10, 4)
    assert sorted([*ten, *extra]) == sorted(FAMILIES[family]) == ALL
    assert ("snow" in ten) == (family == "imagenet_p")
    assert ("spatter" in ten) == (family == "cifar10_p")


@pytest.mark.parametrize(("kind", "family"), EACH)
def test_frames_as_published(kind, family):
    others = {("translate", "imagenet_p"): 41, ("translate", "cifar10_p"): 16}
    others |= {("motion_blur", "cifar10_p"): 21}
    assert frames_of(kind, family=family) == others.get((kind, family), 31)


@pytest.mark.parametrize("kind", ALL)
def test_noise_is_held_against_the_first_frame(kind):
    assert reference_of(kind) == ("first" if kind.endswith("noise") else "previous")
    assert (kind in NOISE) == kind.endswith("noise")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "fog"}, "unknown perturbations 'fog'; there are brightness"),
        ({"family": "mnist_p"}, "unknown family 'mnist_p'; there are imagenet_p, cifar10_p"),
        ({"images": np.zeros((1, 32, 32, 3))}, "images of type float64; only uint8"),
        ({"images": np.zeros((1, 20, 32, 3), np.uint8)}, r"\(1, 20, 32, 3\)"),
        ({"generators": []}, "0 generators for 1 images"),
        ({"side": 33}, r"frames of 33 pixels from images of shape \(1, 32, 32, 3\)"),
    ],
)
def test_what_cannot_be_done_is_said(change, message):
    given = {"images": pictures((32, 32, 3), 1), "kind": "rotate", "generators": [generator(0)]}
    given |= {"family": "cifar10_p", **change}
    with pytest.raises(ValueError, match=message):
        perturb(given.pop("images"), given.pop("kind"), given.pop("generators"), **given)
