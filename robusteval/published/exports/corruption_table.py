"""A table of errors by corruption, a line a model, as papers on CIFAR-10-C have them."""

import csv
import io
from collections.abc import Mapping

from robusteval.corruptions._parts import members


def corruption_table(models: Mapping[str, Mapping[str, float]], family: str) -> str:
    """Return the CSV text of models x corruptions, in percent with two decimals.

    ``models`` has the mean over severities of each corruption, by name; a corruption that a model
    lacks is left empty. The last column is the mean over the fifteen of ``family``, and empty
    where one of them is missing.
    """
    names = list(dict.fromkeys(name for values in models.values() for name in values))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["model", *names, "mean"])
    fifteen = members("fifteen", family)
    for model, values in models.items():
        cells = [f"{values[name]:.2f}" if name in values else "" for name in names]
        whole = all(name in values for name in fifteen)
        mean = f"{sum(values[c] for c in fifteen) / len(fifteen):.2f}" if whole else ""
        writer.writerow([model, *cells, mean])
    return text.getvalue()
