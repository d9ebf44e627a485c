"""What holds for every score of features, found by its file."""

import dataclasses

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from robusteval import plugins
from robusteval.feature_scores._fit import fit
from robusteval.feature_scores._training import Training
from robusteval.metrics.auroc import auroc

NAMES = plugins.names("feature_scores")
every_score = pytest.mark.parametrize("name", NAMES)
# Products of matrices add up a dozen terms in an order that depends on the number of rows.
ROUNDING = {"rtol": 1e-13, "atol": 1e-13}


def test_those_of_the_benchmarks_are_there():
    assert {"ash", "knn", "mahalanobis", "react", "vim"} <= set(NAMES)


@every_score
def test_one_finite_float64_an_image(name, small_model):
    training, features, logits = small_model()
    score, statistics = plugins.load("feature_scores", name), fit(name, training)
    for dtype in (np.float32, np.float64):
        got = score(features.astype(dtype), logits.astype(dtype), statistics)
        assert got.shape == (30,) and got.dtype == np.float64
        assert np.isfinite(got).all()


@every_score
def test_does_not_depend_on_the_other_images(name, small_model):
    training, features, logits = small_model()
    score, statistics = plugins.load("feature_scores", name), fit(name, training)
    together = score(features, logits, statistics)
    alone = [score(features[i : i + 1], logits[i : i + 1], statistics)[0] for i in range(30)]
    np.testing.assert_allclose(alone, together, **ROUNDING)


@every_score
def test_blocks_are_put_together_in_order(name, small_model, monkeypatch):
    training, features, logits = small_model()
    score, statistics = plugins.load("feature_scores", name), fit(name, training)
    expected = score(features, logits, statistics)
    monkeypatch.setattr("robusteval.feature_scores._features.ENTRIES", 12 * 7)
    np.testing.assert_allclose(score(features, logits, statistics), expected, **ROUNDING)


@every_score
def test_order_of_the_training_images_does_not_count(name, small_model):
    training, features, logits = small_model()
    turned = {field: getattr(training, field)[::-1] for field in ("features", "labels", "logits")}
    score = plugins.load("feature_scores", name)
    got = score(features, logits, fit(name, dataclasses.replace(training, **turned)))
    # Means over 240 images, and eigenvectors of what they make.
    np.testing.assert_allclose(got, score(features, logits, fit(name, training)), rtol=1e-11)


@every_score
def test_statistics_can_be_saved_and_read_without_change(name, small_model, tmp_path):
    training, features, logits = small_model()
    score, statistics = plugins.load("feature_scores", name), fit(name, training)
    save_file(dict(statistics), tmp_path / "statistics.safetensors")
    read = load_file(tmp_path / "statistics.safetensors")
    for key, value in statistics.items():
        np.testing.assert_array_equal(read[key], value)
    assert score(features, logits, read).tolist() == score(features, logits, statistics).tolist()


@every_score
def test_leaves_its_input_alone(name, small_model):
    training, features, logits = small_model()
    copies = [a.copy() for a in (training.features, training.logits, features, logits)]
    plugins.load("feature_scores", name)(features, logits, fit(name, training))
    for before, after in zip(
        copies, (training.features, training.logits, features, logits), strict=True
    ):
        np.testing.assert_array_equal(after, before)


@every_score
def test_images_like_those_in_training_are_more_certain(name, small_model):
    training, unknown, logits = small_model(n=480)
    half = {f: getattr(training, f)[:240] for f in ("features", "labels", "logits")}
    statistics = fit(name, dataclasses.replace(training, **half))
    score = plugins.load("feature_scores", name)
    known = score(training.features[240:], training.logits[240:], statistics)
    # Far from chance: with 30 against 240 images its standard deviation is 0.056.
    assert auroc(known, score(unknown, logits, statistics)) > 0.75


@every_score
def test_a_model_without_features(name, small_model):
    training, _, logits = small_model()
    message = f"score {name} needs features, and this model gives none"
    with pytest.raises(ValueError, match=message) as error:
        plugins.load("feature_scores", name)(None, logits, fit(name, training))
    assert "\n" not in str(error.value)


@every_score
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f[:, :5], r"shape \(30, 5\): expected \(N, 12\)"),
        (lambda f: f[:0], r"shape \(0, 12\)"),
        (lambda f: np.where(np.arange(30)[:, None] == 4, np.nan, f), "the first at row 4"),
    ],
)
def test_broken_features(name, change, message, small_model):
    training, features, logits = small_model()
    with pytest.raises(ValueError, match=message):
        plugins.load("feature_scores", name)(change(features), logits, fit(name, training))


@pytest.mark.parametrize("name", ["vim", "react", "ash"])
def test_a_model_without_a_linear_last_layer(name, small_model):
    training, _, _ = small_model()
    other = Training(training.features, training.labels, training.logits)
    with pytest.raises(ValueError, match=f"score {name} needs the weight and bias"):
        fit(name, other)


@pytest.mark.parametrize("name", ["knn", "mahalanobis"])
def test_scores_that_do_without_a_last_layer(name, small_model):
    training, features, logits = small_model()
    other = Training(training.features, training.labels, training.logits)
    score = plugins.load("feature_scores", name)
    expected = score(features, logits, fit(name, training))
    assert score(features, logits, fit(name, other)).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"features": np.ones((3, 2))}, "3 features, 4 logits"),
        ({"features": np.ones(4)}, r"features \(4,\)"),
        ({"labels": np.array([0, 1, 2, 3])}, "from 0 to 3: expected 0 to 2"),
        ({"labels": np.array([0, 1, 2, -1])}, "from -1 to 2"),
        ({"logits": np.full((4, 3), np.nan)}, "logits of 4 of 4 images, the first at row 0"),
        ({"weight": np.ones((2, 3)), "bias": np.zeros(3)}, r"weight \(2, 3\)"),
        ({"weight": np.eye(3, 2), "bias": np.ones(3)}, "differ from the logits by up to"),
        ({"weight": np.eye(3, 2)}, "needs the weight and bias"),
    ],
)
def test_training_images_that_do_not_fit(change, message):
    good = {
        "features": np.array([[1.0, 0], [0, 1], [1, 1], [2, 1]]),
        "labels": np.array([0, 1, 2, 0]),
        "logits": np.array([[1.0, 0, 0], [0, 1, 0], [1, 1, 0], [2, 1, 0]]),
    }
    Training(**good, weight=np.eye(3, 2), bias=np.zeros(3))
    with pytest.raises(ValueError, match=message):
        Training(**good | change)


def test_an_unknown_score():
    with pytest.raises(ValueError, match="unknown feature_scores 'odin'; there are ash, knn"):
        fit("odin", None)
