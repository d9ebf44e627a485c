"""The lines that accuracies on shifted images follow, over all models that timm published."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from robusteval.published.effective_robustness import (
    Floats,
    Line,
    effective_robustness,
    fitted_line,
    foretold,
)
from robusteval.published.recomputed._timm import BASE, entries

SETS = ("imagenet_v2", "imagenet_r", "imagenet_a", "imagenet_sketch")


class Shift(NamedTuple):
    """Models (N,) on ImageNet and on one shifted set, in percent, and the line through them."""

    test: str
    base_set: str
    names: list[str]
    base: Floats
    shifted: Floats
    line: Line

    @property
    def foretold(self) -> Floats:
        """Return what the line foretells, in percent."""
        return 100 * foretold(self.line, self.base / 100)

    @property
    def residual(self) -> Floats:
        """Return effective robustness, in percentage points."""
        return 100 * effective_robustness(self.line, self.base / 100, self.shifted / 100)


def shifts(folder: str | Path, sets: Sequence[str] = SETS) -> list[Shift]:
    """Return each shifted set with all models that have both accuracies, and the fitted line."""
    found = []
    for test in sets:
        both = [e for e in entries(folder, test) if e.base and e.shifted]
        if both:
            base = np.array([float(e.base) for e in both])
            own = np.array([float(e.shifted) for e in both])
            line = fitted_line(base / 100, own / 100)
            found.append(Shift(test, BASE[test], [e.name for e in both], base, own, line))
    return found
