"""RobustBench's accuracies by corruption and severity: unaggregated_results.csv."""

import csv
from pathlib import Path

from robusteval.published._row import About, Row
from robusteval.published.formats._cells import named_test, number


def robustbench_corruptions(path: str | Path, about: About) -> list[Row]:
    """Return accuracies of models under corruptions, by name and severity.

    The file has two lines of heads, corruption and severity, and a line a model. Several places of
    one corruption and severity must not be there; a place without a name is refused.

    Raises:
        ValueError: the heads are not names with severities 1 to 5, or a line is too short.
    """
    test = named_test(path, about, "imagenet_c")
    with Path(path).open(newline="") as file:
        names, severities, *models = csv.reader(file)
    heads = list(zip(names[1:], severities[1:], strict=False))
    if len(names) != len(severities) or not all(s in tuple("12345") for _, s in heads):
        raise ValueError(f"{path}: two lines of heads expected: corruption, then severity 1 to 5")
    rows = []
    for line, (model, *values) in enumerate(models, 3):
        place = f"{path}, row {line}"
        if len(values) != len(heads):
            raise ValueError(f"{place}: {len(values)} values; {len(heads)} expected")
        for (corruption, severity), value in zip(heads, values, strict=True):
            if value:
                condition = f"{corruption} {severity}"
                cell = {"test": test, "condition": condition}
                rows.append(about.row(model, number(value), place, **cell))
    return rows
