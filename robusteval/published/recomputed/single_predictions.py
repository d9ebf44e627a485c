"""Accuracy, ECE, AURRA and error consistency from predictions on single images."""

from collections.abc import Sequence
from pathlib import Path

from robusteval.published._comparison import Comparison, to_the_digit
from robusteval.published._row import Row
from robusteval.published.agreement import Answers, error_consistency
from robusteval.published.calibration import aurra, expected_calibration_error
from robusteval.published.predictions import Predictions, read_predictions
from robusteval.published.recomputed._listed import listed
from robusteval.published.recomputed.human_trials import AND

LAYOUT = "imagenet_x"


def single_predictions(rows: Sequence[Row], *, folder: str | Path) -> list[Comparison]:
    """Return published numbers beside those computed from the files of predictions in ``folder``.

    A file is known by its name: ``ece`` of ResNet50 is that of ResNet50.csv, ``error_consistency``
    of "ResNet50 and ViT" needs both. A number whose file is not there is left out.
    """
    paths = {path.stem: path for path in listed(folder, LAYOUT)}
    if not paths:
        return []
    own = {name: read_predictions(path) for name, path in paths.items()}
    places = set(map(str, paths.values()))
    compared = []
    for row in rows:
        value = None if row.place in places else _value(row, own)
        if value is not None:
            compared.append(to_the_digit(value * row.scale_of_share, row))
    return compared


def _value(row: Row, own: dict[str, Predictions]) -> float | None:
    first, _, second = row.model.partition(AND)
    said, other = own.get(first), own.get(second)
    if row.test != "imagenet_validation" or row.condition or said is None:
        return None
    match row.what:
        case "accuracy":
            return float(said.right.mean())
        case "ece":
            return expected_calibration_error(said.confidence, said.right)
        case "aurra":
            return aurra(said.confidence, said.right)
        case "error_consistency" if other is not None:
            return error_consistency(_answers(said), _answers(other))
    return None


def _answers(said: Predictions) -> Answers:
    return dict(zip(said.images, said.right.tolist(), strict=True))
