"""Mahalanobis distance to the nearest class: features as Gaussians of one covariance."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.feature_scores._features import blocks, checked
from robusteval.feature_scores._training import Statistics, Training


def fit(training: Training) -> dict[str, NDArray[np.float64]]:
    """Return the centre (D,), the whitening (D, R) and the whitened class means (C, R).

    The covariance is that of the features around the mean of their class, over all N images;
    directions in which training images do not vary are left out, as a pseudo-inverse does. Classes
    without a training image have no mean.

    Raises:
        ValueError: the features do not vary within any class.
    """
    features = training.features.astype(np.float64)
    centre = features.mean(axis=0)
    features -= centre
    classes, which = np.unique(training.labels, return_inverse=True)
    means = np.stack([features[which == i].mean(axis=0) for i in range(len(classes))])
    for i, mean in enumerate(means):
        features[which == i] -= mean
    values, vectors = np.linalg.eigh(features.T @ features / len(features))
    kept = values > values.max() * len(values) * np.finfo(np.float64).eps
    if values.max() <= 0 or not kept.any():
        raise ValueError(
            f"{len(features)} training features do not vary within their {len(classes)} classes: "
            "expected several images a class"
        )
    whitening = vectors[:, kept] / np.sqrt(values[kept])
    return {"centre": centre, "whitening": whitening, "means": means @ whitening}


def mahalanobis(
    features: NDArray[np.floating[Any]] | None,
    logits: NDArray[np.floating[Any]],
    statistics: Statistics,
) -> NDArray[np.float64]:
    """Return ``-min_c (f - mu_c)^T Sigma^-1 (f - mu_c)`` (N,), float64, of ``features`` (N, D).

    It is at most 0, and the logits are not looked at. Neither the noise added to the images nor
    the several layers of the paper are part of it. pytorch-ood's score is this one, negated, over
    2 N: its covariance is a sum over the N training images, and it keeps the factor of a
    logarithmic density.

    Source: Lee et al., "A simple unified framework for detecting out-of-distribution samples and
        adversarial attacks", NeurIPS 2018, section 2.1.

    Raises:
        ValueError: there are no features, they are of another shape than the fitted ones, or hold
            NaN or infinity.
    """
    rows = checked("mahalanobis", features, len(statistics["centre"]))
    means = statistics["means"]
    score = np.empty(len(rows))
    for part, block in blocks(rows, len(means)):
        white = (block - statistics["centre"]) @ statistics["whitening"]
        # |w - m|^2 without (N, C, R) numbers; the nearest mean is then taken without cancellation.
        nearest = (np.sum(means**2, axis=1) - 2 * white @ means.T).argmin(axis=1)
        score[part] = -np.sum((white - means[nearest]) ** 2, axis=1)
    return score
