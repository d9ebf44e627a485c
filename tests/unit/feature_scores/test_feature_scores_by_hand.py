"""Scores of features on a few points whose values can be told with pencil and paper."""

import math

import numpy as np
import pytest

from robusteval.feature_scores import ash, knn, mahalanobis, react, vim
from robusteval.feature_scores._training import Training

NEAR = {"rtol": 1e-13, "atol": 1e-13}  # some dozens of roundings


def training(features, labels=None, weight=None, bias=None):
    features = np.array(features, float)
    weight = np.eye(2, features.shape[1]) if weight is None else np.array(weight, float)
    bias = np.zeros(len(weight)) if bias is None else np.array(bias, float)
    labels = np.zeros(len(features), int) if labels is None else np.array(labels)
    return Training(features, labels, features @ weight.T + bias, weight, bias)


def nothing(features):
    return np.zeros((len(features), 2))


def test_mahalanobis():
    # Classes around (0, 0) and (10, 0); around them 2 along x (variance 4 / 2), 1 along y (1 / 2).
    deviations = np.array([[2, 0], [-2, 0], [0, 1], [0, -1]])
    points = np.concatenate([deviations, deviations + np.array([10, 0])])
    statistics = mahalanobis.fit(training(points, [0] * 4 + [1] * 4))
    features = np.array([[0.0, 0], [2, 0], [10, 3], [5, 0]])
    got = mahalanobis.mahalanobis(features, nothing(features), statistics)
    np.testing.assert_allclose(got, [0, -(4 / 2), -(9 / 0.5), -(25 / 2)], **NEAR)


def test_mahalanobis_leaves_out_a_direction_that_training_images_never_take():
    points = [[1, 0, 7], [-1, 0, 7], [0, 1, 7], [0, -1, 7]]
    statistics = mahalanobis.fit(training(points))
    features = np.array([[1.0, 1, 7], [1, 1, 100]])
    got = mahalanobis.mahalanobis(features, nothing(features), statistics)
    np.testing.assert_allclose(got, [-4, -4], **NEAR)


def test_mahalanobis_of_classes_that_do_not_occur():
    statistics = mahalanobis.fit(training([[1, 0], [-1, 0], [0, 1], [0, -1]], [1, 1, 1, 1]))
    assert statistics["means"].shape == (1, 2)


def test_mahalanobis_needs_images_that_vary():
    with pytest.raises(ValueError, match="do not vary within their 2 classes"):
        mahalanobis.fit(training([[1, 0], [0, 1]], [0, 1]))


@pytest.mark.parametrize(("k", "expected"), [(1, 0), (2, -math.sqrt(2)), (3, -2)])
def test_knn(k, expected):
    statistics = knn.fit(training([[3, 0], [0, 0.1], [-5, 0]]), k=k)
    features = np.array([[70.0, 0]])  # lengths do not count
    got = knn.knn(features, nothing(features), statistics)
    np.testing.assert_allclose(got, [expected], **NEAR)


def test_knn_of_a_neighbour_whose_cosine_rounds_to_one():
    statistics = knn.fit(training([[1, 0], [0, 1]]), k=1)
    features = np.array([[1.0, 1e-9]])
    # The distance keeps nine of its digits in a vector of length 1.
    assert knn.knn(features, nothing(features), statistics)[0] == pytest.approx(-1e-9, rel=1e-7)


def test_knn_of_a_feature_without_direction():
    statistics = knn.fit(training([[1, 0], [0, 1]]), k=1)
    assert knn.knn(np.zeros((1, 2)), np.zeros((1, 2)), statistics).tolist() == [-1]


@pytest.mark.parametrize("k", [0, 3])
def test_knn_of_more_neighbours_than_there_are(k):
    with pytest.raises(ValueError, match=f"k {k}: expected 1 to 2"):
        knn.fit(training([[1, 0], [0, 1]]), k=k)


def test_vim():
    # Logits are (x, y) - 1, so the origin is (1, 1, 0); around it the main space is along x, y.
    points = [[11, 1, 0], [1, 11, 0.5], [-9, 1, -0.5], [1, -9, 1]]
    given = training(points, bias=[-1, -1])
    statistics = vim.fit(given, dimensions=2)
    # Largest logits 10, 10, 0, 0 and residuals 0, 0.5, 0.5, 1, but for a tilt of the main space.
    features = np.array([[4.0, 1, 0], [4, 1, 0.1]])
    logits = features[:, :2] - 1
    got = vim.vim(features, logits, statistics)
    alpha = 5 / 0.5
    plain = math.log(math.exp(3) + 1)
    # The main space is tilted by the points' heights, at most 1 in 10: a tenth of the x of 3.
    assert got[0] == pytest.approx(plain, abs=0.1 * 3 * alpha)
    normal = np.linalg.svd(np.array(points) - [1, 1, 0])[2][-1]
    residuals = np.abs((np.array(points) - [1, 1, 0]) @ normal)
    expected = plain - 5 / residuals.mean() * np.abs((features - [1, 1, 0]) @ normal)
    np.testing.assert_allclose(got, expected, rtol=1e-12)  # eigenvectors of a 3 x 3 matrix


@pytest.mark.parametrize(("size", "dimensions"), [(2048, 1000), (768, 512), (512, 256), (3, 1)])
def test_vim_takes_as_many_dimensions_as_the_paper(size, dimensions):
    rng = np.random.default_rng(0)
    given = training(rng.standard_normal((40, size)), weight=rng.standard_normal((2, size)))
    if size < 40:  # more features than images: only the default is looked at, not the residual
        assert vim.fit(given)["base"].shape == (size, size - dimensions)
    else:
        with pytest.raises(ValueError, match=f"no residual outside {dimensions} dimensions"):
            vim.fit(given)


@pytest.mark.parametrize("dimensions", [0, 3])
def test_vim_of_dimensions_that_there_are_not(dimensions):
    with pytest.raises(ValueError, match=f"dimensions {dimensions}: expected 1 to 2"):
        vim.fit(training([[1, 0, 1], [0, 1, 2]]), dimensions=dimensions)


def test_vim_takes_as_many_features_as_logits():
    statistics = vim.fit(training([[1, 0, 1], [0, 1, 2], [1, 2, 0]]), dimensions=1)
    with pytest.raises(ValueError, match="2 features, 3 logits"):
        vim.vim(np.ones((2, 3)), np.ones((3, 2)), statistics)


def test_react():
    statistics = react.fit(training([[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 10]]))
    # The 90th percentile of 0 to 10 with 10 twice: position 9.9 of 0 to 11, between 9 and 10.
    assert statistics["cut"] == pytest.approx(9.9, rel=1e-15)
    features = np.array([[5.0, 2], [1000, 2]])
    got = react.react(features, nothing(features), statistics)
    expected = [math.log(math.exp(5) + math.exp(2)), math.log(math.exp(9.9) + math.exp(2))]
    np.testing.assert_allclose(got, expected, **NEAR)


@pytest.mark.parametrize("percentile", [0, 101])
def test_react_at_no_percentile(percentile):
    with pytest.raises(ValueError, match=f"percentile {percentile}"):
        react.fit(training([[1, 0], [0, 1]]), percentile=percentile)


def test_ash():
    weight = [[1, 0, 0, 0], [0, 1, 0, 0]]
    statistics = ash.fit(training([[1, 0, 0, 0]], weight=weight), percentile=50)
    # The two largest of 10 in all are kept: 4 and 3, times exp(10 / 7).
    features = np.array([[1.0, 4, 3, 2], [4, 3, 2, 1], [0, 0, 0, 0]])
    got = ash.ash(features, nothing(features), statistics)
    s = math.exp(10 / 7)
    expected = [math.log(1 + math.exp(4 * s)), math.log(math.exp(4 * s) + math.exp(3 * s))]
    np.testing.assert_allclose(got, [*expected, math.log(2)], **NEAR)


def test_ash_keeps_all_that_are_equal_at_the_bound():
    statistics = ash.fit(training([[1, 0, 0, 0]]), percentile=50)
    got = [
        ash.ash(np.array([row], float), np.zeros((1, 2)), statistics)[0]
        for row in ([3, 1, 1, 1], [1, 3, 1, 1])
    ]
    assert got[0] == pytest.approx(math.log(math.exp(3 * math.e) + math.exp(math.e)), rel=1e-14)
    assert got[1] == pytest.approx(got[0], rel=1e-14)


def test_ash_of_activations_that_no_relu_made():
    statistics = ash.fit(training([[1, 0, 0, 0]]), percentile=50)
    with pytest.raises(ValueError, match="image at row 1 add up to -3"):
        ash.ash(np.array([[1.0, 2, 3, 4], [-1, -2, -3, -4]]), np.zeros((2, 2)), statistics)


@pytest.mark.parametrize("percentile", [-1, 100])
def test_ash_that_keeps_nothing(percentile):
    with pytest.raises(ValueError, match=f"percentile {percentile}"):
        ash.fit(training([[1, 0], [0, 1]]), percentile=percentile)
