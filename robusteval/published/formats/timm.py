"""The result tables of pytorch-image-models: results-*.csv."""

from pathlib import Path

from robusteval.published._row import About, Row
from robusteval.published.formats._cells import lines_of, named_test, number, preprocessing

NEEDED = ("model", "img_size", "top1", "top5", "crop_pct", "interpolation")


def timm(path: str | Path, about: About) -> list[Row]:
    """Return top-1 and top-5 accuracies in percent of models on one image set.

    A model stands there once for each input size; the size is part of the preprocessing.
    """
    test = named_test(path, about, "imagenet_v2")
    rows = []
    for place, cells in lines_of(path, NEEDED):
        seen = preprocessing(cells["img_size"], cells["crop_pct"], cells["interpolation"])
        for column, what in (("top1", "accuracy"), ("top5", "top5_accuracy")):
            said = {"test": test, "what": what, "preprocessing": seen}
            rows.append(about.row(cells["model"], number(cells[column]), place, **said))
    return rows
