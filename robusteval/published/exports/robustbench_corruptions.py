"""Accuracies by corruption and severity as RobustBench's unaggregated_results.csv has them."""

import csv
import io
from collections.abc import Mapping

Accuracies = Mapping[tuple[str, int], float]
"""Accuracy in [0, 1] by corruption and severity."""


def robustbench_corruptions(models: Mapping[str, Accuracies]) -> str:
    """Return the CSV text of models x (corruption, severity): two lines of heads, a line a model.

    Raises:
        ValueError: a model lacks a condition that the first one has, or has another.
    """
    heads = list(next(iter(models.values()), {}))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["", *(corruption for corruption, _ in heads)])
    writer.writerow(["", *(severity for _, severity in heads)])
    for model, accuracy in models.items():
        if set(accuracy) != set(heads):
            odd = sorted(set(accuracy) ^ set(heads))[0]
            raise ValueError(f"{model}: {odd[0]} {odd[1]} is not there for every model")
        # As many digits as a float64 needs to be read back the same.
        writer.writerow([model, *(repr(float(accuracy[head])) for head in heads)])
    return text.getvalue()
