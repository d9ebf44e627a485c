"""What holds for every corruption, found by its file."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from robusteval.corruptions._apply import _function, corrupt
from robusteval.corruptions._severities import FAMILIES, constant, severities
from robusteval.plugins import names
from robusteval.seeds import generator

pytestmark = pytest.mark.usefixtures("made_up_ice")
ALL = names("corruptions")
OF_A_FAMILY = [(c, family) for family, table in FAMILIES.items() for c in table]
# The families of colour images share their functions, so one stands for them.
CASES = [(c, f) for c, f in OF_A_FAMILY if f in ("cifar10_c", "mnist_c")]
GRADED = [family for family in FAMILIES if len(severities(family)) > 1]
FIXTURES = Path(__file__).parents[2] / "fixtures" / "corruptions"
# Not in the published outputs either.
NOT_MONOTONE = {
    *((c, family) for c in ("glass_blur", "elastic_transform", "spatter") for family in GRADED),
    ("saturate", "imagenet_c"),
    ("saturate", "cifar10_c"),
    # Which photograph is drawn matters more than its weight.
    *(("frost", family) for family in GRADED),
    # Severities 3 and 4 have lines of 13 and 17 pixels with equal weights, gone after 10.
    ("motion_blur", "cifar10_c"),
}
MONOTONE = [(c, f) for c, f in OF_A_FAMILY if f in GRADED and (c, f) not in NOT_MONOTONE]
COLOUR_ONLY = ("saturate",)
SHAPES = [(28, 28, 1), (32, 32, 3), (30, 41, 3), (33, 28, 1)]
SHAPED = [(c, f, s) for c, f in CASES for s in SHAPES if s[2] == 3 or c not in COLOUR_ONLY]
N = 5
DRAWS = 16


def pictures(shape, n=N):
    """Return images (n, H, W, C) with large and small structure, and all levels in reach."""
    source = np.random.default_rng(7)
    rows, columns = np.mgrid[: shape[0], : shape[1], :1][:2]
    waves = np.stack([np.sin(rows / (3 + i) + i) + np.cos(columns / (4 + i)) for i in range(n)])
    noise = source.normal(scale=0.3, size=(n, *shape))
    return np.clip(127.5 + 60 * (waves + noise), 0, 255).astype(np.uint8)


def draw(images, corruption, family, *, severity=None, ids=None):
    ids = range(len(images)) if ids is None else ids
    levels = severities(family)
    severity = severity or levels[len(levels) // 2]
    return corrupt(
        images, corruption, severity, [generator(0, corruption, i) for i in ids], family=family
    )


@pytest.mark.parametrize(("corruption", "family", "shape"), SHAPED)
def test_shape_and_type_stay_and_pixels_change(corruption, family, shape):
    images = pictures(shape)
    result = draw(images, corruption, family)
    assert result.shape == images.shape
    assert result.dtype == np.uint8
    assert all((a != b).any() for a, b in zip(images, result, strict=True))


@pytest.mark.parametrize("corruption", COLOUR_ONLY)
def test_grey_images_are_refused_where_they_would_stay_as_they_are(corruption):
    with pytest.raises(ValueError, match=r"\(5, 28, 28, 1\).*three channels only"):
        draw(pictures((28, 28, 1)), corruption, "cifar10_c")


@pytest.mark.parametrize(("corruption", "family", "shape"), SHAPED)
def test_an_image_is_the_same_alone_and_in_any_order(corruption, family, shape):
    images = pictures(shape)
    together = draw(images, corruption, family)
    for i in range(N):
        assert np.array_equal(draw(images[i : i + 1], corruption, family, ids=[i])[0], together[i])
    order = [3, 0, 4, 1, 2]
    assert np.array_equal(draw(images[order], corruption, family, ids=order), together[order])


@pytest.mark.parametrize(("corruption", "family"), CASES)
def test_the_same_call_gives_the_same_and_leaves_the_input(corruption, family):
    images = pictures((32, 32, 3))
    before = images.copy()
    images.flags.writeable = False  # a memory-mapped image set is read-only too
    assert np.array_equal(draw(images, corruption, family), draw(images, corruption, family))
    assert np.array_equal(images, before)


@pytest.mark.parametrize(("corruption", "family"), CASES)
def test_memory_order_of_the_input_does_not_matter(corruption, family):
    images = pictures((30, 41, 3))
    other = np.asfortranarray(images)
    assert np.array_equal(draw(other, corruption, family), draw(images, corruption, family))


@pytest.mark.parametrize(("corruption", "family"), CASES)
def test_randomness_comes_from_the_generator_alone(corruption, family):
    # Some corruptions only go to one side or the other: one of eight goes another way.
    images = np.repeat(pictures((32, 32, 3), n=1), 8, axis=0)
    np.random.seed(0)
    first = draw(images, corruption, family)
    np.random.seed(1)
    assert np.array_equal(draw(images, corruption, family), first)
    documentation = _function(corruption, family).__doc__ or ""
    drawn = "draws nothing" not in documentation.lower()
    assert drawn == bool((first != first[0]).any())


@pytest.mark.parametrize(("corruption", "family"), CASES)
def test_no_images_give_no_images(corruption, family):
    none = np.zeros((0, 32, 32, 3), np.uint8)
    assert draw(none, corruption, family).shape == (0, 32, 32, 3)


@pytest.mark.parametrize(("corruption", "family"), OF_A_FAMILY)
def test_every_severity_has_a_constant_of_its_own(corruption, family):
    levels = severities(family)
    assert len({constant(corruption, level, family=family) for level in levels}) == len(levels)
    assert len(FAMILIES[family][corruption]) == len(levels)


def test_every_severity_table_belongs_to_a_file_and_every_file_to_a_table():
    assert {corruption for table in FAMILIES.values() for corruption in table} == set(ALL)


def test_families_have_the_published_corruptions_and_severities():
    published = {
        "imagenet_c": (19, 5),
        "tiny_imagenet_c": (19, 5),
        "cifar10_c": (19, 5),
        "mnist_c": (15, 1),
    }
    found = {family: (len(FAMILIES[family]), len(severities(family))) for family in FAMILIES}
    assert found == published


@pytest.mark.parametrize(("corruption", "family"), MONOTONE)
def test_a_higher_severity_is_further_from_the_clean_images(corruption, family):
    source = "cifar10_c" if family == "cifar10_c" else "tiny_imagenet_c"
    with np.load(FIXTURES / f"{source}.npz") as arrays:
        # several draws: snow's second and third severity lie 2% apart, one draw scatters as much
        images = np.repeat(arrays["inputs"], DRAWS, axis=0)
    distances = [
        np.sqrt(np.mean((draw(images, corruption, family, severity=s) - 1.0 * images) ** 2))
        for s in severities(family)
    ]
    assert all(a < b for a, b in pairwise(distances)), distances


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"family": "cifar_c"}, "'cifar_c'.*imagenet_c, tiny_imagenet_c, cifar10_c, mnist_c"),
        ({"family": "mnist_c"}, "mnist_c has no corruption 'gaussian_noise'; it has shot_noise"),
        ({"corruption": "gausian_noise"}, "'gausian_noise'.*brightness, canny_edges, contrast"),
        ({"severity": 0}, "severity 0; cifar10_c has 1, 2, 3, 4, 5"),
        ({"severity": 6}, "severity 6; cifar10_c has 1, 2, 3, 4, 5"),
        (
            {"severity": 2, "corruption": "shear", "family": "mnist_c"},
            "severity 2; mnist_c has 1$",
        ),
        ({"images": np.zeros((2, 32, 32, 3))}, "float64; only uint8"),
        ({"images": np.full((2, 32, 32, 3), 0.5, np.float32)}, "float32; only uint8"),
        ({"images": np.full((2, 32, 32, 3), 300, np.int16)}, "int16; only uint8"),
        ({"images": np.zeros((32, 32, 3), np.uint8)}, r"\(32, 32, 3\); allowed are \(N, H, W, C\)"),
        ({"images": np.zeros((2, 3, 32, 32), np.uint8)}, r"\(2, 3, 32, 32\).*at least 28"),
        ({"images": np.zeros((2, 32, 32, 4), np.uint8)}, r"\(2, 32, 32, 4\).*C 1 or 3"),
        ({"images": np.zeros((2, 32, 27, 3), np.uint8)}, r"\(2, 32, 27, 3\).*at least 28"),
        ({"images": np.zeros((3, 32, 32, 3), np.uint8)}, "2 generators for 3 images"),
    ],
)
def test_wrong_input_is_named_with_what_is_allowed(change, message):
    arguments = {
        "images": pictures((32, 32, 3), n=2),
        "corruption": "gaussian_noise",
        "severity": 1,
        "generators": [generator(0), generator(1)],
        "family": "cifar10_c",
    }
    with pytest.raises(ValueError, match=message):
        corrupt(**(arguments | change))


def test_an_unknown_family_has_no_severities():
    with pytest.raises(ValueError, match="'cifar_c'; there are imagenet_c"):
        severities("cifar_c")


@pytest.mark.parametrize(("corruption", "family"), CASES)
def test_the_documentation_says_what_the_constant_is(corruption, family):
    assert "``constant``" in (_function(corruption, family).__doc__ or "")
