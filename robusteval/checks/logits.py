"""Whether the model returns logits, in float32."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval.checks._finding import Finding, Verdict
from robusteval.checks._subject import Subject, logits_of

TOLERANCE = 1e-3  # of a sum of up to thousands of float32 or half-precision probabilities

OK = "Scores, margins and attacks take logits."
PROBABILITIES = (
    "Softmax over probabilities squeezes confidences and flattens the gradients that attacks "
    "follow, so the model looks more robust than it is."
)
LOG_PROBABILITIES = (
    "Predictions, margins and cross-entropy are those of logits, but energy is constant and the "
    "largest logit is another score."
)
SQUASHED = "Margins and gradients are those of a squashed output, which attacks see as flat."
CONSTANT = "A model that says the same of every image does not look at them."
HALF = "Verdicts of nearly equal classes change with the precision, and close scores are tied."


def logits(subject: Subject) -> Finding:
    """Return whether the clean logits are unbounded numbers of float32 precision.

    Wrong if they are probabilities (at least 0, rows that sum to 1) or the same for every image; to
    be looked at if they are log-probabilities, all within 0 to 1, or all exact in half precision.

    Raises:
        ModelError: there are no logits, or NaN or infinite ones.
    """
    z = logits_of(subject).astype(np.float64)
    found = f"Outputs for {len(z)} images run from {z.min():.4g} to {z.max():.4g}"
    verdict, what, why = _kind(z)
    return Finding("logits", verdict, f"{found}{what}.", why)


def _kind(z: NDArray[np.float64]) -> tuple[Verdict, str, str]:
    """Return verdict, what the outputs (N, K) are, and why that matters."""
    sums = z.sum(1)
    if z.min() >= 0 and np.abs(sums - 1).max() <= TOLERANCE:
        said = f" and sum to {sums.min():.4f} to {sums.max():.4f}: they are probabilities"
        return "wrong", said, PROBABILITIES
    if len(z) > 1 and np.ptp(z, axis=0).max() == 0:
        return "wrong", " and are the same for every image", CONSTANT
    if z.max() <= 0:
        total = np.exp(z).sum(1)
        if np.abs(total - 1).max() <= TOLERANCE:
            said = f" and their exponentials sum to {total.min():.4f} to {total.max():.4f}"
            return "look", f"{said}: they are log-probabilities", LOG_PROBABILITIES
    if z.min() >= 0 and 0.5 < z.max() <= 1:  # an untrained net says less than 0.5
        return "look", ": all are within 0 and 1, as after a sigmoid", SQUASHED
    if _is_half(z):
        return "look", ": all are exact in half precision", HALF
    return "ok", "", OK


def _is_half(z: NDArray[np.floating[Any]]) -> bool:
    """Return whether every value is exact in float16 or in bfloat16."""
    single = z.astype(np.float32)
    with np.errstate(over="ignore"):  # beyond 65504 float16 is infinite, and so not equal
        float16 = (single.astype(np.float16).astype(np.float32) == single).all()
    bfloat16 = (np.ascontiguousarray(single).view(np.uint32) & 0xFFFF == 0).all()
    return bool(float16 or bfloat16)
