"""COS: how much a defence changes the whole output where the prediction is right."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.metrics._confidence import mean
from robusteval.metrics._twins import both_right


def cos(
    label: NDArray[np.integer[Any]],
    probability: NDArray[np.floating[Any]],
    defended: NDArray[np.floating[Any]],
) -> float:
    """Return the classification output stability, in nats, in [0, ln 2]; lower is better.

    ``1/n sum JSD(P(x) || P^D(x))``, the Jensen-Shannon divergence, over the n images that both
    the undefended model, with ``probability`` (N, K), and the ``defended`` one (N, K) classify as
    their ``label`` (N,). NaN if there is none.

    Source: Ling et al., "DEEPSEC", IEEE S&P 2019; arXiv 2101.09617.

    Raises:
        ValueError: there is no image, the shapes differ, a label is no class, or an array holds no
            probabilities.
    """
    _, p, q = both_right(label, probability, defended)
    return mean(divergence(p, q))


def divergence(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Jensen-Shannon divergence (n,), in nats, of the rows of ``p`` and ``q`` (n, K)."""
    middle = (p + q) / 2
    both: NDArray[np.float64] = (_relative_entropy(p, middle) + _relative_entropy(q, middle)) / 2
    return both


def _relative_entropy(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sum_k p_k ln(p_k / q_k), where a p_k of 0 counts 0."""
    there = p > 0
    ratio = np.divide(p, q, out=np.ones_like(p), where=there)
    entropy: NDArray[np.float64] = np.sum(p * np.log(ratio), axis=1)
    return entropy
