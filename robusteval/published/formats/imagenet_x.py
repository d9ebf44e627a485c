"""Predictions on single images, as ImageNet-X publishes them: model_predictions/base/*.csv."""

from pathlib import Path

from robusteval.published._row import About, Row
from robusteval.published.calibration import aurra, expected_calibration_error
from robusteval.published.formats._cells import named_test
from robusteval.published.predictions import read_predictions

DIGITS = 6


def imagenet_x(path: str | Path, about: About) -> list[Row]:
    """Return accuracy, ECE of 15 bins and AURRA of the network that the file is named after.

    They are fractions; n is the number of images. The labels lie beside the file.
    """
    said = read_predictions(path)
    fixed = {"test": named_test(path, about, "imagenet_validation"), "unit": "fraction"}
    fixed |= {"grade": "computed"}
    values = {
        "accuracy": float(said.right.mean()),
        "ece": expected_calibration_error(said.confidence, said.right),
        "aurra": aurra(said.confidence, said.right),
    }
    return [
        about.row(
            Path(path).stem, f"{v:.{DIGITS}f}", str(path), what=what, n=len(said.images), **fixed
        )
        for what, v in values.items()
    ]
