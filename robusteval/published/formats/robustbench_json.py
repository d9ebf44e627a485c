"""RobustBench's summary of one model: model_info/<dataset>/<threat model>/<model>.json."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robusteval.published._row import About, Row
from robusteval.published.formats._cells import number

IMAGES = {"imagenet": "imagenet_validation", "cifar10": "cifar10_test", "cifar100": "cifar100_test"}
COUNT = {"imagenet": 5_000, "cifar10": 10_000, "cifar100": 10_000}  # images of the board
BUDGET = {
    ("imagenet", "Linf"): "linf 4/255",
    ("cifar10", "Linf"): "linf 8/255",
    ("cifar100", "Linf"): "linf 8/255",
    ("cifar10", "L2"): "l2 0.5",
}
"""What the board attacks with; the eps of an entry is what its model was trained with."""
Said = dict[str, str | int | None]
DECIMALS = 2  # accuracies of 5,000 or 10,000 images have no more


def robustbench_json(path: str | Path, about: About) -> list[Row]:
    """Return clean, robust and corruption accuracies and mCE of one of RobustBench's entries.

    Raises:
        ValueError: the folders do not say data set and threat model, or there is no clean accuracy.
    """
    path = Path(path)
    board = path.parent.parent.name, path.parent.name
    if board[0] not in IMAGES:
        raise ValueError(
            f"{path}: the folder {board[0]!r} is no data set; a path as "
            f"imagenet/corruptions/{path.name} expected"
        )
    said = json.loads(path.read_text())
    return summary(path.stem, board, said, about, str(path))


def summary(
    model: str, board: tuple[str, str], said: Mapping[str, Any], about: About, place: str
) -> list[Row]:
    """Return the rows of one entry of a ``board``, a data set and a threat model.

    Raises:
        ValueError: it has no clean accuracy.
    """
    dataset, threat = board
    source = f"{about.source}/{dataset}/{threat}/{model}.json"
    fixed: Said = {"n": about.n or COUNT[dataset], "source": source, "what": "accuracy"}
    images, corrupted = IMAGES[dataset], f"{dataset}_c"
    if not _value(said, "clean_acc"):
        raise ValueError(f"{place}: {model}: clean_acc is missing")
    # The same name means other weights on another board; on that of corruptions names stand alone.
    name = model if threat == "corruptions" else f"{model} ({threat})"
    values: list[tuple[str, Said]] = [("clean_acc", {"test": images})]
    if threat == "corruptions":
        values += [("corruptions_acc", {"test": corrupted, "condition": "fifteen"})]
        mce: Said = {"what": "mce", "condition": "fifteen, baseline alexnet_robustbench"}
        values += [("corruptions_mce", {"test": corrupted, **mce})]
    elif board in BUDGET:
        note = "unreliable, says RobustBench" if _flag(said, "unreliable") else about.note
        attack: Said = {"what": "robust_accuracy", "condition": f"{BUDGET[board]}, autoattack"}
        values += [("autoattack_acc", {"test": images, "note": note, **attack})]
    return [
        about.row(name, number(_value(said, key), decimals=DECIMALS), place, **fixed | cell)
        for key, cell in values
        if _value(said, key)
    ]


def _value(said: Mapping[str, Any], key: str) -> str:
    """Return what a summary says under a key as text; "" for nothing, null and NaN."""
    text = str(said.get(key, "")).strip()
    return "" if text.lower() in ("", "none", "null", "nan", "n/a") else text


def _flag(said: Mapping[str, Any], key: str) -> bool:
    return str(said.get(key, "")).lower() == "true"
