"""timm's difference columns from its accuracies."""

from collections.abc import Sequence
from pathlib import Path

from robusteval.published._comparison import FAIL, PASS, ROUNDING, Comparison
from robusteval.published._row import Row
from robusteval.published.recomputed._timm import BASE, SOURCE, entries

DIGIT = 0.001  # percent, the last that is printed
WHY = "a printed digit: half of one for each of the two accuracies"


def timm_differences(rows: Sequence[Row], *, folder: str | Path) -> list[Comparison]:
    """Return for each set the model whose printed difference is furthest from its accuracies'.

    Accuracy on the set minus accuracy on the images of ImageNet that it is compared with; every
    model is checked, and the furthest stands for all.
    """
    compared = []
    for test in BASE:
        found = [
            (float(e.shifted) - float(e.base), float(e.difference), e.name)
            for e in entries(folder, test)
            if e.difference
        ]
        if found:
            ours, theirs, name = max(found, key=lambda f: abs(f[0] - f[1]))
            verdict = PASS if abs(ours - theirs) <= DIGIT + ROUNDING else FAIL
            model = f"{name}, furthest of {len(found)}"
            where = "accuracy_difference", model, test, f"against {BASE[test]}"
            compared.append(Comparison(*where, ours, theirs, DIGIT, WHY, verdict, SOURCE))
    return compared
