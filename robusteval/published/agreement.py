"""Error consistency: whether two subjects are wrong about the same images, beyond chance."""

import math
from collections.abc import Iterable, Mapping, Sequence

Answers = Mapping[object, bool]
"""Whether a subject was right, by image."""


def error_consistency(first: Answers, second: Answers) -> float:
    """Return Cohen's kappa, at most 1, of being right on the images that both subjects saw.

    kappa = (c_obs - c_exp) / (1 - c_exp), with c_exp = p1 p2 + (1 - p1)(1 - p2), the agreement of
    two subjects of these accuracies who err independently. NaN where c_exp is 1: both are always
    right, or both always wrong.

    Source: Geirhos, Meding, Wichmann 2020, arXiv 2006.16736.

    Raises:
        ValueError: they share no image.
    """
    shared = [image for image in first if image in second]
    if not shared:
        raise ValueError(f"{len(first)} and {len(second)} images, none of them shared")
    n = len(shared)
    p1, p2 = (sum(answers[image] for image in shared) / n for answers in (first, second))
    observed = sum(first[image] == second[image] for image in shared) / n
    expected = p1 * p2 + (1 - p1) * (1 - p2)
    return math.nan if expected == 1 else (observed - expected) / (1 - expected)


def mean_error_consistency(pairs: Iterable[tuple[Answers, Answers]]) -> float:
    """Return the mean kappa over pairs of subjects; pairs without a kappa are left out."""
    values = [error_consistency(*pair) for pair in pairs]
    known: Sequence[float] = [v for v in values if not math.isnan(v)]
    return sum(known) / len(known) if known else math.nan
