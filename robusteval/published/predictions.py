"""Predictions of one network, as ImageNet-X publishes them: class and probability by image."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robusteval.published.formats._cells import lines_of

NEEDED = ("file_name", "predicted_class", "predicted_probability")
LABELS = "filename_label.csv"
"""The file of all images' labels, looked for beside a file of predictions."""


class Predictions(NamedTuple):
    """Images, the probability of the predicted class and whether it is the label's; N of each."""

    images: list[str]
    confidence: NDArray[np.float64]
    right: NDArray[np.bool_]


def read_predictions(path: str | Path) -> Predictions:
    """Return the predictions in a CSV file, held against the labels in ``LABELS`` beside it.

    Raises:
        ValueError: a column or the file of labels is missing, or an image has no label.
    """
    labels = Path(path).with_name(LABELS)
    if not labels.is_file():
        raise ValueError(f"{labels} is missing; put the labels of the images beside {path}")
    known = {
        cells["file_name"]: int(cells["label"])
        for _, cells in lines_of(labels, ("file_name", "label"))
    }
    images, confidence, right = [], [], []
    for place, cells in lines_of(path, NEEDED):
        image = cells["file_name"].rpartition("/")[2]
        if image not in known:
            raise ValueError(f"{place}: {image} has no label in {labels}")
        images.append(image)
        confidence.append(float(cells["predicted_probability"]))
        right.append(int(float(cells["predicted_class"])) == known[image])
    return Predictions(images, np.array(confidence), np.array(right))
