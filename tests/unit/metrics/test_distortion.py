import numpy as np
import pytest

from robusteval.metrics.distortion import distortion


def images(seed, n=5):
    return np.random.default_rng(seed).random((n, 3, 8, 8), np.float32)


@pytest.mark.parametrize(("norm", "expected"), [("l0", 2), ("l1", 0.75), ("linf", 0.5)])
def test_by_hand(norm, expected):
    clean = np.zeros((1, 1, 2, 2), np.float32)
    changed = np.array([[[[0.5, 0], [0, 0.25]]]], np.float32)
    assert distortion(changed, clean, norm) == [expected]
    assert distortion(clean, changed, norm) == [expected]


def test_l2_by_hand():
    clean = np.zeros((1, 1, 1, 2), np.float32)
    assert distortion(np.array([[[[0.375, 0.5]]]], np.float32), clean, "l2") == [0.625]  # 3, 4, 5


@pytest.mark.parametrize(("norm", "order"), [("l0", 0), ("l1", 1), ("l2", 2), ("linf", np.inf)])
def test_against_numpy(norm, order):
    adversarial, clean = images(0), images(1)
    rows = (adversarial.astype(np.float64) - clean).reshape(5, -1)
    expected = np.linalg.norm(rows, ord=order, axis=1)
    got = distortion(adversarial, clean, norm)
    assert got.dtype == np.float64
    # 192 additions in another order: each may round by 1.1e-16.
    np.testing.assert_allclose(got, expected, rtol=192 * 1.1e-16)


def test_difference_is_taken_in_float64():
    clean = np.full((1, 1, 1, 1), 1.0, np.float32)
    adversarial = np.full((1, 1, 1, 1), 2**-30, np.float32)
    assert distortion(adversarial, clean, "linf") == [1 - 2**-30]  # float32 would say 1


@pytest.mark.parametrize("norm", ["l0", "l1", "l2", "linf"])
def test_does_not_depend_on_the_other_images(norm):
    adversarial, clean = images(0), images(1)
    alone = [distortion(adversarial[i : i + 1], clean[i : i + 1], norm)[0] for i in range(5)]
    assert distortion(adversarial, clean, norm).tolist() == alone


@pytest.mark.parametrize("norm", ["l0", "l1", "l2", "linf"])
def test_unchanged_image_has_none(norm):
    assert distortion(images(0), images(0), norm).tolist() == [0.0] * 5


def test_shapes_differ():
    with pytest.raises(ValueError, match=r"\(5, 3, 8, 8\), clean \(1, 3, 8, 8\)"):
        distortion(images(0), images(0, n=1), "l2")


def test_unknown_norm_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"'l3': expected one of l0, l1, l2, linf"):
        distortion(images(0), images(1), "l3")


@pytest.mark.parametrize("norm", ["l0", "linf"])
def test_nan_is_never_a_size(norm):
    broken = images(0)
    broken[2, 0, 0, 0] = np.nan
    with pytest.raises(ValueError, match="image 2 holds NaN"):
        distortion(broken, images(1), norm)
