"""Two studies side by side: what differs in their settings, and what changed beyond chance."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from robusteval.paired import bootstrap, holm, mcnemar
from robusteval.records import OK, Records
from robusteval.seeds import generator
from workflow_scripts._tables import own, read_cells, read_transfers

LEVEL = 0.05
SEED = 0
Key = tuple[str, str, str]
"""Model, test and condition."""


@dataclass(frozen=True)
class Change:
    """A model on a test in both studies: accuracies in percent, and the test of their difference.

    ``p`` is exact McNemar's for one answer an image, else that of a paired bootstrap over images;
    ``adjusted`` is p after Holm's correction for the number of comparisons.
    """

    key: Key
    n: int
    before: float
    after: float
    detail: str
    p: float
    adjusted: float = 1.0


def diff(study_a: Path, study_b: Path, seed: int = SEED) -> str:
    """Return as text how study B, a folder results/<study>, differs from study A.

    Raises:
        ValueError: a folder holds no study that was run, or the two have no cell in common.
    """
    first, second = (_cells(folder) for folder in (study_a, study_b))
    both = [key for key in first if key in second]
    if not both:
        raise ValueError(
            f"{study_a} and {study_b} have no model and test in common: "
            f"{_listed(first)} against {_listed(second)}"
        )
    changes, left_out = compared(first, second, both, seed)
    settings = list(different(_settings(study_a), _settings(study_b)))
    settings += list(_different_cells(first, second, both))
    lines = [f"A: {study_a}", f"B: {study_b}", "", "Settings that differ"]
    lines += settings or ["  none"]
    lines += ["", *_coverage(first, second, both), *left_out, ""]
    lines += _changes(changes)
    return "\n".join(lines)


def compared(
    first: Mapping[tuple[str, str], Records],
    second: Mapping[tuple[str, str], Records],
    keys: list[tuple[str, str]],
    seed: int,
) -> tuple[list[Change], list[str]]:
    """Return the changes on images that both studies have, and a line for each cell without."""
    changes, left_out, unknown = [], [], set[str]()
    for model, test in keys:
        a, b = first[model, test], second[model, test]
        if broken := [r.status for r in (a, b) if r.status != OK]:
            left_out.append(f"  {model}, {test}: not compared, {broken[0]}")
            continue
        if (a.frame["label"] < 0).all():
            unknown.add(test)
            continue
        both = _paired(a.frame, b.frame)
        if both.empty:
            left_out.append(f"  {model}, {test}: not compared, no image in common")
            continue
        for condition, rows in both.groupby("condition", sort=False):
            changes.append(_change((model, test, str(condition)), rows, seed))
    if unknown:
        left_out.append(f"  not compared, without known classes: {', '.join(sorted(unknown))}")
    adjusted = holm([change.p for change in changes])
    return [
        Change(**(vars(change) | {"adjusted": p}))
        for change, p in zip(changes, adjusted, strict=True)
    ], left_out


def different(a: Mapping[str, Any], b: Mapping[str, Any], where: str = "") -> Iterator[str]:
    """Yield a line for each setting of A and B that differs, by its key as "counts.clean"."""
    for key in dict.fromkeys([*a, *b]):
        path = f"{where}{key}"
        one, two = a.get(key), b.get(key)
        if isinstance(one, dict) and isinstance(two, dict):
            yield from different(one, two, f"{path}.")
        elif isinstance(one, list) and isinstance(two, list) and one != two:
            only = [[x for x in p if x not in q] for p, q in ((one, two), (two, one))]
            named = zip("AB", (", ".join(map(str, o)) for o in only), strict=True)
            said = "; ".join(f"only {study}: {items}" for study, items in named if items)
            yield f"  {path}: {said or 'another order'}"
        elif one != two:
            yield f"  {path}: {_said(key, a)} -> {_said(key, b)}"


def _paired(a: pd.DataFrame, b: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each image, condition and severity of both, with whether each is right."""
    keys = ["condition", "severity", "image_id", "label"]
    known = [frame[frame["label"] >= 0] for frame in (a, b)]
    right = [f[keys].assign(right=f["prediction"] == f["label"]) for f in known]
    return right[0].merge(right[1], on=keys, suffixes=("_a", "_b"), validate="one_to_one")


def _change(key: Key, rows: pd.DataFrame, seed: int) -> Change:
    """Return the change on one condition: its severities are averaged image by image."""
    by_image = rows.groupby("image_id")[["right_a", "right_b"]].mean()
    a, b = (by_image[name].to_numpy(float) for name in ("right_a", "right_b"))
    means = len(by_image), 100 * float(a.mean()), 100 * float(b.mean())
    if len(by_image) == len(rows):
        only_a, only_b, p = mcnemar(a == 1, b == 1)
        return Change(key, *means, f"right in A only {only_a}, in B only {only_b}", p)
    low, high, p = bootstrap(b - a, generator(seed, "diff", *key))
    return Change(key, *means, f"95% interval {100 * low:+.2f} to {100 * high:+.2f}", p)


def _cells(folder: Path) -> dict[tuple[str, str], Records]:
    """Return the records of a study, those of attacks read back from disk."""
    if not (folder / "records").is_dir():
        raise ValueError(f"{folder}: no records in it; a folder as results/demo expected")
    cells = read_cells(_parquets(folder / "records"))
    transfers = read_transfers(_parquets(folder / "transfer"))
    return cells | {key: own(records, key[0]) for key, records in transfers.items()}


def _parquets(folder: Path) -> list[str]:
    """Return the records two folders down; hidden files are what a killed job left behind."""
    return [str(path) for path in sorted(folder.glob("*/*.parquet")) if path.name[0] != "."]


def _settings(folder: Path) -> dict[str, Any]:
    path = folder / "study.yaml"
    return dict(yaml.safe_load(path.read_text())) if path.is_file() else {}


def _different_cells(
    first: Mapping[tuple[str, str], Records],
    second: Mapping[tuple[str, str], Records],
    both: list[tuple[str, str]],
) -> Iterator[str]:
    """Yield settings of cells that differ, a line for all cells in which they do so alike."""
    cells: dict[str, list[str]] = {}
    for key in both:
        for line in different(first[key].settings, second[key].settings):
            cells.setdefault(line, []).append(f"{key[0]} on {key[1]}")
    for line, names in cells.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield f"{line} ({names[0]}{more})"


def _coverage(first: Mapping[Any, Any], second: Mapping[Any, Any], both: list[Any]) -> list[str]:
    lines = [f"{len(both)} cells of model and test in both"]
    for name, own_cells, others in (("A", first, second), ("B", second, first)):
        if only := {key: None for key in own_cells if key not in others}:
            lines.append(f"  only in {name}: {_listed(only)}")
    return lines


def _changes(changes: list[Change]) -> list[str]:
    """Return the changes beyond chance, the largest first, and a line for all others."""
    beyond = [c for c in changes if c.adjusted < LEVEL]
    beyond.sort(key=lambda c: -abs(c.after - c.before))
    head = f"Changed beyond chance: {len(beyond)} of {len(changes)} comparisons"
    lines = [f"{head} (p < {LEVEL:g} after Holm's correction)"]
    width = max((len(", ".join(c.key)) for c in beyond), default=0)
    for c in beyond:
        lines.append(
            f"  {', '.join(c.key):<{width}}  {c.before:.2f}% -> {c.after:.2f}%  "
            f"{c.after - c.before:+.2f}  n = {c.n:,}; {c.detail}; p = {c.adjusted:.2g}"
        )
    same = sum(c.before == c.after and c.p == 1.0 for c in changes)
    within = len(changes) - len(beyond)
    lines.append(f"Within chance: {within}, of which {same} did not move at all")
    return lines


def _said(key: str, settings: Mapping[str, Any]) -> str:
    return str(settings[key]) if key in settings else "not given"


def _listed(cells: Mapping[tuple[str, str], Any], most: int = 6) -> str:
    names = [f"{model} on {test}" for model, test in cells]
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
