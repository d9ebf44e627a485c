"""Flip probability under each perturbation as a share of a baseline model's."""

from collections.abc import Mapping

from robusteval.metrics._ratios import ratios


def flip_rate(probability: Mapping[str, float], baseline: Mapping[str, float]) -> dict[str, float]:
    """Return the flip rate FR of each perturbation as a fraction; lower is better.

    ``FR = FP / FP^baseline`` (Hendrycks & Dietterich 2019, section 4.4). Both mappings go from a
    perturbation's name to its flip probability, in the same unit; they are matched by name.

    Raises:
        ValueError: the names differ, there are none, a value is missing (NaN) or negative, or the
            baseline model never flips, which leaves the ratio undefined.
    """
    return ratios(probability, baseline, "flip probability")
