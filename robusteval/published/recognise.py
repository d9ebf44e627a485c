"""Which format a result file is in, seen from its first line."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from robusteval import plugins
from robusteval.corruptions._severities import FAMILIES
from robusteval.published import predictions, trials
from robusteval.published._row import COLUMNS
from robusteval.published.formats import openood, timm
from robusteval.published.formats.accuracy_by_set import COUNT

PACKAGE = "published.formats"
HEADS: Mapping[str, Sequence[str]] = {
    "timm": timm.NEEDED,
    "openood": ("Postprocessor", *openood.COLUMNS),
    "model_vs_human": trials.NEEDED,
    "imagenet_x": predictions.NEEDED,
    "robustbench_summaries": ("dataset", "threat_model", "model", "clean_acc"),
}
"""The columns that only files of a format have."""


def layout_of(path: str | Path) -> str:
    """Return the id of the format, a file of published/formats, that a result file is in.

    Raises:
        ValueError: it is in none that can be seen from its columns, or in the project's own.
    """
    if Path(path).suffix.lower() == ".json":
        return "robustbench_json"
    with Path(path).open(newline="", encoding="utf-8-sig") as file:
        heads = [line for line, _ in zip(csv.reader(file), range(2), strict=False)]
    first = heads[0] if heads else []
    if set(COLUMNS) <= set(first):
        raise ValueError(f"{path} is in the one format already; copy it into config/published")
    for layout, needed in HEADS.items():
        if set(needed) <= set(first):
            return layout
    if len(heads) == 2 and first[:1] == [""] and set(heads[1][1:]) <= set("12345"):
        return "robustbench_corruptions"
    if "model" in first:
        if set(first) & set(COUNT):
            return "accuracy_by_set"
        names = {name for family in FAMILIES.values() for name in family}
        if names & {head.strip().lower().replace(" ", "_") for head in first}:
            return "corruption_table"
    raise ValueError(
        f"{path}: columns {first[:8]} are of no format that is known; say which it is with "
        f"--format, one of {', '.join(plugins.names(PACKAGE))}"
    )
