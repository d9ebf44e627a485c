"""Scores against pytorch-ood's, whose sign is the other one, where that package is installed.

The formulas are tested without it, by hand and against SciPy.
"""

import numpy as np
import pytest
import torch

from robusteval import plugins

SAME = {"rtol": 1e-6, "atol": 1e-6}  # what is asked for; it keeps some of its numbers in float32


@pytest.fixture
def detector():
    reason = "pytorch-ood is not installed: only its own numbers are not compared"
    return pytest.importorskip("pytorch_ood.detector", reason=reason)


@pytest.mark.parametrize(
    ("name", "settings", "theirs", "their_settings", "factor"),
    [
        ("max_logit", {}, "MaxLogit", {}, 1),
        ("energy", {}, "EnergyBased", {}, 1),
        ("energy", {"temperature": 10}, "EnergyBased", {"t": 10}, 1),
        ("negative_entropy", {}, "Entropy", {}, 1),
        ("gen", {}, "GEN", {}, 20),  # theirs is a mean over the 20 classes
        ("gen", {"gamma": 0.5, "top": 7}, "GEN", {"gamma": 0.5, "M": 7}, 7),
    ],
)
def test_scores_of_logits(detector, name, settings, theirs, their_settings, factor):
    # Probabilities stay above 1e-7, where it clips them.
    logits = np.random.default_rng(0).uniform(-6, 6, (200, 20))
    got = plugins.load("scores", name)(logits, **settings)
    expected = getattr(detector, theirs).score(torch.tensor(logits), **their_settings)
    np.testing.assert_allclose(got, -factor * expected.numpy(), **SAME)


def test_max_softmax(detector):
    logits = np.random.default_rng(0).uniform(-6, 6, (200, 20))
    got = np.exp(plugins.load("scores", "max_softmax")(logits))
    np.testing.assert_allclose(got, -detector.MaxSoftmax.score(torch.tensor(logits)), **SAME)
