import numpy as np
import pytest

from robusteval.feature_scores._training import Training


def model(n=240, size=12, classes=4, seed=0):
    """Return (training, features, logits): images whose class excites some features, and 30 others.

    The others have the same activations, but each feature from another image, of whatever class.
    """
    rng = np.random.default_rng(seed)
    weight, bias = rng.normal(0, 0.1, (classes, size)), rng.standard_normal(classes)
    own = np.arange(size) % classes == np.arange(classes)[:, None]
    weight[own] += 1
    labels = np.arange(n) % classes
    features = np.abs(4 * own[labels] * rng.uniform(0.5, 1, (n, 1)) + rng.normal(0, 0.5, (n, size)))
    others = rng.permuted(features, axis=0)[:30]
    training = Training(features, labels, features @ weight.T + bias, weight, bias)
    return training, others, others @ weight.T + bias


@pytest.fixture
def small_model():
    return model
