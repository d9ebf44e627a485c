"""A table of accuracies or errors under corruptions, one line a model: as papers on CIFAR-10-C."""

from pathlib import Path

from robusteval.corruptions._severities import FAMILIES
from robusteval.published._checks import near_matches
from robusteval.published._row import About, Row
from robusteval.published.formats._cells import lines_of, named_test, number

MEANS = ("mean", "average", "avg")


def corruption_table(path: str | Path, about: About) -> list[Row]:
    """Return the values of a table of models x corruptions, the mean over severities each.

    Columns are named by corruption, in any order and spelling that differs by spaces and capital
    letters only ("Gaussian Noise"); a column ``severity`` may say which one a line is of, and one
    named ``mean`` is the mean over the fifteen.

    Raises:
        ValueError: a column is no corruption, such as a number: positions are never used, because
            lists in different orders circulate.
    """
    test = named_test(path, about, "cifar10_c")
    corruptions = FAMILIES.get(test, FAMILIES["imagenet_c"])
    rows = []
    for place, cells in lines_of(path, ("model",)):
        severity = cells.pop("severity", "")
        for head, value in cells.items():
            if head == "model" or not value:
                continue
            name = head.strip().lower().replace(" ", "_")
            condition = "fifteen" if name in MEANS else name
            if name not in (*MEANS, *corruptions):
                near = near_matches(name, corruptions)
                meant = (
                    f"did you mean {near[0]}?" if near else f"there are {', '.join(corruptions)}"
                )
                raise ValueError(
                    f"{path}: column {head!r} is no corruption of {test}; name columns by "
                    f"corruption, never by position; {meant}"
                )
            if severity not in ("", "mean"):
                condition = f"{condition} {int(severity)}"
            said = {"test": test, "condition": condition}
            rows.append(about.row(cells["model"], number(value), place, **said))
    return rows
