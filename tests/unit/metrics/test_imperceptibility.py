import math

import numpy as np
import pytest

from robusteval.metrics.aldp import aldp
from robusteval.metrics.ass import ass
from robusteval.metrics.psd import psd
from robusteval.metrics.relative_distortion import relative_distortion
from robusteval.metrics.sensitivity_distance import FLOOR, sensitivity_distance
from robusteval.metrics.structural_similarity import structural_similarity

BOTH = np.array([True, True])
FIRST = np.array([True, False])


def image(*values):
    return np.array(values, np.float64)[:, None, None, :]


X = image((0.6, 0.8), (0.3, 0.4))
XA = image((0.6, 0.5), (0.36, 0.48))


@pytest.fixture
def noisy():
    """Six colour images (6, 3, 9, 13), and noisy copies, in float32."""
    rng = np.random.default_rng(1)
    clean = rng.random((6, 3, 9, 13)).astype(np.float32)
    return np.clip(clean + rng.normal(0, 0.05, clean.shape), 0, 1).astype(np.float32), clean


@pytest.mark.parametrize(
    ("norm", "expected", "raw"),
    [
        ("l0", 0.75, 1.5),
        ("l1", (0.3 / 1.4 + 0.14 / 0.7) / 2, 0.22),
        ("l2", 0.25, 0.2),
        ("linf", 0.2875, 0.19),
    ],
)
def test_distortions_by_hand(norm, expected, raw):
    # Sums of two numbers in float64: a few units of 1e-16.
    assert aldp(XA, X, BOTH, norm) == pytest.approx(expected, rel=1e-14)
    assert aldp(XA, X, BOTH, norm, normalised=False) == pytest.approx(raw, rel=1e-14)
    assert relative_distortion(XA, X, norm).mean() == aldp(XA, X, BOTH, norm)
    assert aldp(XA, X, FIRST, norm) == relative_distortion(XA, X, norm)[0]


def test_a_black_image_has_no_relative_distortion():
    black = np.zeros_like(X)
    changed = np.concatenate([XA[:1], black[:1]])
    assert relative_distortion(changed, black, "l2").tolist() == [math.inf, 0.0]
    with pytest.raises(ValueError, match="black clean image, whose l2 norm is 0"):
        aldp(changed, black, BOTH, "l2")
    assert aldp(changed, black, ~FIRST, "l2") == 0.0  # of the one that was not changed


def test_similarity_of_flat_images_by_hand():
    flat = np.full((1, 1, 16, 16), 0.5)
    # (2 * 0.5 * 0.6 + 0.0001) / (0.25 + 0.36 + 0.0001); rounding of float64 sums of 11 weights.
    assert ass(flat + 0.1, flat, np.array([True])) == pytest.approx(0.6001 / 0.6101, abs=1e-12)
    assert structural_similarity(flat, flat).tolist() == [1.0]
    levels = np.full((1, 3, 20, 20), 50 / 255)
    assert structural_similarity(levels + 1 / 255, levels)[0] == pytest.approx(
        (2 * 50 * 51 + 2.55**2) / (50**2 + 51**2 + 2.55**2), abs=1e-12
    )  # in units of a level C1 is 2.55^2; float64 again


def test_similarity_of_a_pattern():
    i, j = np.mgrid[:16, :16]
    x = (((7 * i + 3 * j) % 16) / 15)[None, None]
    y = np.clip(x + 0.05 * (-1.0) ** (i + j), 0, 1)
    assert structural_similarity(y, x)[0] == pytest.approx(0.9867278015, abs=1e-10)  # as printed


def test_similarity_against_torchmetrics(noisy):
    torchmetrics = pytest.importorskip("torchmetrics.functional.image")
    import torch

    adversarial, clean = (torch.from_numpy(x).double() for x in noisy)
    expected = torchmetrics.structural_similarity_index_measure(
        adversarial, clean, data_range=1.0, reduction="none"
    )
    # Both in float64; variances are differences of means, so a few 1e-16 over C2 = 9e-4.
    assert structural_similarity(*noisy) == pytest.approx(expected.numpy(), abs=1e-10)


def test_sensitivity_by_hand():
    clean = np.zeros((1, 1, 3, 3))
    clean[..., 1, 1] = 1
    centre = clean + 0.1 * (clean == 1)
    yes = np.array([True])
    # Standard deviations sqrt(8) / 9, sqrt(14) / 9 and sqrt(20) / 9; printed to ten digits.
    assert psd(centre, clean, yes) == pytest.approx(0.3181980515, abs=1e-10)
    assert psd(clean + 0.1, clean, yes) == pytest.approx(2.0853229943, abs=1e-10)


def test_on_flat_images_the_floor_decides():
    flat = np.full((1, 3, 4, 4), 0.25)
    found = sensitivity_distance(flat + 0.5, flat)[0]
    # Float64 sums of 48 equal numbers, and 0.25 has a standard deviation of exactly 0.
    assert found == pytest.approx(48 * 0.5 / FLOOR, rel=1e-13)
    assert psd(flat + 0.5, flat, np.array([True]), floor=0.5) == pytest.approx(48, rel=1e-13)
    one_level = np.zeros((3, 3))
    one_level[0, 0] = 1 / 255
    assert pytest.approx(one_level.std(), rel=1e-13) == FLOOR


def test_sensitivity_against_a_loop(noisy):
    adversarial, clean = (x.astype(np.float64) for x in noisy)
    expected = np.zeros(6)
    for n, c, i, j in np.ndindex(clean.shape):
        rows = [abs(i - 1), i, i + 1 if i < 8 else i - 1]
        columns = [abs(j - 1), j, j + 1 if j < 12 else j - 1]
        spread = clean[n, c][np.ix_(rows, columns)].std()
        expected[n] += abs(adversarial[n, c, i, j] - clean[n, c, i, j]) / max(spread, FLOOR)
    # The same sums of 351 numbers in another order.
    assert sensitivity_distance(*noisy) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("metric", [structural_similarity, sensitivity_distance])
def test_neighbours_and_order_do_not_matter(noisy, metric):
    whole = metric(*noisy)
    assert np.array_equal(metric(*(x[::-1] for x in noisy)), whole[::-1])
    assert np.array_equal(metric(*(x[4:5] for x in noisy)), whole[4:5])


@pytest.mark.parametrize("metric", [ass, psd, lambda a, x, s: aldp(a, x, s, "l2")])
def test_without_success_nan_and_only_successes_count(noisy, metric):
    assert math.isnan(metric(*noisy, np.zeros(6, bool)))
    some = np.array([True, False, True, False, False, True])
    assert metric(*noisy, some) == metric(*(x[some] for x in noisy), np.ones(3, bool))


def test_arguments_that_cannot_be_used_are_named(noisy):
    a, x = noisy
    with pytest.raises(ValueError, match="success of 2 for 6 images"):
        ass(a, x, BOTH)
    with pytest.raises(ValueError, match="success has type int64"):
        psd(a, x, np.ones(6, np.int64))
    with pytest.raises(ValueError, match=r"floor 0.0: more than 0 expected, a flat window"):
        psd(a, x, np.ones(6, bool), floor=0.0)
    with pytest.raises(ValueError, match=r"floor -1: more than 0"):
        sensitivity_distance(a, x, floor=-1)
    with pytest.raises(ValueError, match="norm 'l3': expected one of l0, l1, l2, linf"):
        aldp(a, x, np.ones(6, bool), "l3")
    with pytest.raises(ValueError, match=r"shape \(3, 9\): expected \(C, H, W\)"):
        structural_similarity(a[..., 0], x[..., 0])
    with pytest.raises(ValueError, match="image 2 holds NaN"):
        spoilt = a.copy()
        spoilt[2, 0, 0, 0] = np.nan
        sensitivity_distance(spoilt, x)
