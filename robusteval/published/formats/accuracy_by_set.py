"""A table of accuracies with a line a model and a column an image set."""

from pathlib import Path

from robusteval.published._row import About, Row
from robusteval.published.formats._cells import lines_of, number, preprocessing

SETTINGS = ("img_size", "crop_pct", "interpolation")
COUNT = {
    "imagenet_validation": 50_000,
    "imagenet_real": 46_837,  # the images that have a label there
    "imagenet_v2": 10_000,
    "imagenet_sketch": 50_889,
    "imagenet_a": 7_500,
    "imagenet_r": 30_000,
    "imagenet_a_clean": 10_000,
    "imagenet_r_clean": 10_000,
}
"""Images in the published sets, for files that do not say it; ``_clean`` are those of ImageNet's
validation set that show one of the 200 classes."""


def accuracy_by_set(path: str | Path, about: About) -> list[Row]:
    """Return the accuracies in a table of models x image sets; empty cells are left out.

    The columns ``img_size``, ``crop_pct`` and ``interpolation``, if there, say how images were
    brought to a model; columns that end in ``_diff`` are differences of others and are left out.
    """
    rows = []
    for place, cells in lines_of(path, ("model",)):
        seen = about.preprocessing
        if all(cells.get(key) for key in SETTINGS):
            seen = preprocessing(*(cells[key] for key in SETTINGS))
        for test, value in cells.items():
            if test in ("model", *SETTINGS) or test.endswith("_diff") or not value:
                continue
            said = {"test": test, "preprocessing": seen, "n": about.n or COUNT.get(test)}
            rows.append(about.row(cells["model"], number(value), place, **said))
    return rows
