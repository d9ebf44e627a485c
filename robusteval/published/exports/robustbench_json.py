"""The summary of one model as RobustBench's model_info has it."""

import json
from collections.abc import Mapping

KEYS = ("clean_acc", "autoattack_acc", "corruptions_acc", "corruptions_mce")
DIGITS = 2


def robustbench_json(architecture: str, dataset: str, percents: Mapping[str, float]) -> str:
    """Return the JSON text of a model's summary; ``percents`` has any of ``KEYS``.

    Name, link and authors, which a person knows, are left empty.

    Raises:
        ValueError: there is no clean accuracy, or a key is none of those.
    """
    if unknown := [key for key in percents if key not in KEYS]:
        raise ValueError(f"{unknown[0]!r} is no key of a summary; there are {', '.join(KEYS)}")
    if "clean_acc" not in percents:
        raise ValueError("clean_acc is missing; every summary has it")
    said = {"link": "", "name": "", "authors": "", "venue": "", "additional_data": None}
    values = {key: f"{percents[key]:.{DIGITS}f}" for key in KEYS if key in percents}
    summary = said | {"architecture": architecture, "dataset": dataset} | values
    return json.dumps(summary, indent=2) + "\n"
