"""A result table in the columns of OpenOOD's results/*.csv."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

COLUMNS = (
    *("Training", "Postprocessor", "Near-OOD_AUROC", "Far-OOD_AUROC", "ID_Accuracy"),
    *("Outlier_Data", "Arch", "Additional_Description"),
)
POSTPROCESSORS = {"max_softmax": "MSP", "max_logit": "MLS", "energy": "EBO"}
"""What OpenOOD calls scores; a score that it does not have keeps its own name."""


@dataclass(frozen=True)
class Result:
    """A model and a score: AUROC in percent by unknown set, near and far, and accuracy in percent.

    ``accuracy`` is None where it was not measured.
    """

    model: str
    architecture: str
    score: str
    near: dict[str, float]
    far: dict[str, float]
    accuracy: float | None


def openood(results: Iterable[Result]) -> str:
    """Return the CSV text of results: mean AUROC over the near sets, and over the far ones.

    Which sets these are stands in the last column, because they are hardly ever those of OpenOOD.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for r in results:
        sets = {"near": r.near, "far": r.far}
        named = "; ".join(f"{key}: {' '.join(own)}" for key, own in sets.items() if own)
        means = [_mean(list(own.values())) for own in sets.values()]
        accuracy = "" if r.accuracy is None else f"{r.accuracy:.2f}"
        score = POSTPROCESSORS.get(r.score, r.score)
        writer.writerow([r.model, score, *means, accuracy, "", r.architecture, named])
    return text.getvalue()


def _mean(values: Sequence[float]) -> str:
    return f"{sum(values) / len(values):.2f}" if values else ""
