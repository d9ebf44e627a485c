"""Scores of features of a model: fitted on its training images, then given for others."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import load_file

from robusteval import plugins
from robusteval.feature_scores._fit import fit
from robusteval.feature_scores._training import Statistics, Training
from robusteval.row_file import read_rows, shape_of

BLOCK = 10_000  # images at a time, for features that do not fit in memory


@dataclass(frozen=True)
class Fitted:
    """What scores of features know of a model, and why others know nothing."""

    model: str
    statistics: Mapping[str, Statistics] = field(default_factory=dict)  # by score
    reasons: Mapping[str, str] = field(default_factory=dict)  # by score
    about: Mapping[str, Any] = field(default_factory=dict)  # images fitted on, settings by score

    def has(self, score: str) -> bool:
        """Return whether a score is one of features."""
        return score in self.statistics or score in self.reasons


def fitted(path: str, scores: Iterable[str], settings: Mapping[str, Mapping[str, Any]]) -> Fitted:
    """Return what the feature scores among ``scores`` make of the training images in a file.

    ``settings`` are those of each score, by its name.
    """
    model = Path(path).parent.name
    wanted = [name for name in scores if name in plugins.names("feature_scores")]
    with safe_open(path, "np") as file:
        reason = (file.metadata() or {}).get("reason", "")
    if reason:
        return Fitted(model, {}, {name: _needs(name, model, reason) for name in wanted})
    statistics, reasons = {}, {}
    try:
        training = Training(**load_file(path))
    except ValueError as error:
        return Fitted(model, {}, {name: _needs(name, model, str(error)) for name in wanted})
    for name in wanted:
        try:
            statistics[name] = fit(name, training, **settings.get(name, {}))
        except ValueError as error:
            reasons[name] = f"score {name} of {model}: {error}"
    about = {"n": len(training.labels), "settings": {s: dict(v) for s, v in settings.items()}}
    return Fitted(model, statistics, reasons, about)


def score_of_features(
    name: str, features: str, logits: NDArray[np.float32], known: Fitted
) -> NDArray[np.float64]:
    """Return the score ``name`` (N,) of the rows of a file of features, block by block.

    Raises:
        ValueError: the score could not be fitted, or not be given for these images.
    """
    if name in known.reasons:
        raise ValueError(known.reasons[name])
    if shape_of(features)[0] != len(logits):
        raise ValueError(
            f"{features}: {shape_of(features)[0]} rows, {len(logits)} records: delete it and run "
            "again"
        )
    score = plugins.load("feature_scores", name)
    parts = [slice(start, start + BLOCK) for start in range(0, len(logits), BLOCK)]
    try:
        return np.concatenate(
            [score(read_rows(features, p), logits[p], known.statistics[name]) for p in parts]
        )
    except ValueError as error:
        raise ValueError(f"score {name} of {known.model}: {error}") from error


def _needs(score: str, model: str, reason: str) -> str:
    return f"score {score} needs features of {model}: {reason}"
