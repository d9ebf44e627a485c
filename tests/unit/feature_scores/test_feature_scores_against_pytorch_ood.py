"""Scores of features against pytorch-ood's, whose sign is the other one, where it is installed.

What they are is tested without it, by hand.
"""

import numpy as np
import pytest
import torch

from robusteval import plugins
from robusteval.feature_scores._fit import fit

SAME = {"rtol": 1e-6, "atol": 1e-6}  # what is asked for


@pytest.fixture
def detector():
    reason = "pytorch-ood is not installed: only its own numbers are not compared"
    module = pytest.importorskip("pytorch_ood.detector", reason=reason)
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield module
    torch.set_default_dtype(before)


def compared(name, small_model, **settings):
    training, features, logits = small_model()
    got = plugins.load("feature_scores", name)(features, logits, fit(name, training, **settings))
    tensors = {
        field: torch.tensor(getattr(training, field))
        for field in ("features", "labels", "weight", "bias")
    }
    return got, torch.tensor(features), tensors


@pytest.mark.parametrize("k", [1, 50])
def test_knn(detector, small_model, k):
    got, features, training = compared("knn", small_model, k=k)
    theirs = detector.KNN(None, k=k).fit_features(training["features"], training["labels"])
    np.testing.assert_allclose(got, -theirs.predict_features(features).numpy(), **SAME)


@pytest.mark.parametrize("dimensions", [2, 6])
def test_vim(detector, small_model, dimensions, monkeypatch):
    # It rounds to float32 on its way. Where the variances on both sides of the cut are close, as of
    # the sixth and seventh here, that turns the main space and moves scores by 1e-4: not here.
    monkeypatch.setattr(torch.Tensor, "float", torch.Tensor.double)
    got, features, training = compared("vim", small_model, dimensions=dimensions)
    theirs = detector.ViM(None, d=dimensions, w=training["weight"], b=training["bias"])
    theirs.fit_features(training["features"], training["labels"])
    np.testing.assert_allclose(got, -theirs.predict_features(features).numpy(), **SAME)


def test_mahalanobis(detector, small_model):
    got, features, training = compared("mahalanobis", small_model)
    theirs = detector.Mahalanobis(None).fit_features(training["features"], training["labels"])
    # Its covariance is a sum over the images, with 1e-6 added to the variances, and it halves.
    expected = -2 * len(training["labels"]) * theirs.predict_features(features).numpy()
    np.testing.assert_allclose(got, expected, **SAME)


def head(training):
    def logits(maps):
        return maps.flatten(1) @ training["weight"].T + training["bias"]

    return logits


def test_react(detector, small_model):
    got, features, training = compared("react", small_model)
    theirs = detector.ReAct(None, head(training), percentile=0.9)
    theirs.fit_feature_maps(training["features"][:, :, None, None], training["labels"])
    expected = theirs.predict_feature_maps(features[:, :, None, None])
    np.testing.assert_allclose(got, -expected.numpy(), **SAME)


@pytest.mark.parametrize("percentile", [65, 90])
def test_ash(detector, small_model, percentile):
    got, features, training = compared("ash", small_model, percentile=percentile)
    theirs = detector.ASH(None, head(training), variant="ash-s", percentile=percentile / 100)
    expected = theirs.predict_feature_maps(features[:, :, None, None])
    np.testing.assert_allclose(got, -expected.numpy(), **SAME)
