"""Tabulate what models do under attack, how visible the attacks are, and defended models' twins."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from robusteval.files import read_json
from robusteval.records import OK, Records, read_records
from workflow_scripts import _behaviour, _twin_rows, _visible_rows
from workflow_scripts._access import BLACK, WHITE, access_of
from workflow_scripts._behaviour import Setting, settings_of, summaries
from workflow_scripts._goals import UNTARGETED, goals_of
from workflow_scripts._lists import attack_by_attack
from workflow_scripts._tables import left_out, own, read_cells, right_images, write_table
from workflow_scripts._twin_rows import twin_rows
from workflow_scripts._visible_rows import visible_row

Row = dict[str, Any]


def rows(
    model: str,
    cells: Iterable[tuple[str, Records]],
    tests: Mapping[str, Mapping[str, Any]],
    clean: Records,
) -> Iterator[Row]:
    """Yield a row for each setting of the attacks ``cells`` on a model, then those over settings.

    Untargeted settings with a budget are taken together, white-box and black-box ones apart: an
    attack that looks for the smallest change breaks every image in the end.
    """
    taken: dict[str, list[Setting]] = {WHITE: [], BLACK: []}
    broken: dict[str, str] = {}
    for attack, cell in cells:
        access = access_of(tests[attack]["attack"])
        row = {"model": model, "access": access, "attack": attack}
        if bad := [r.status for r in (cell, clean) if r.status != OK]:
            broken.setdefault(access, f"{attack}: {bad[0]}")
            yield {**row, "n": 0, "status": bad[0]}
            continue
        goals = goals_of(tests[attack]["conditions"].items())
        budgets = {c for c, v in tests[attack]["conditions"].items() if "eps" in v}
        for setting in settings_of(row, cell, goals, right_images(clean)):
            yield {**setting.row, "status": OK}
            if setting.row["goal"] == UNTARGETED and setting.row["condition"] in budgets:
                taken[access].append(setting)
    for access, settings in taken.items():
        about = {"model": model, "access": access, "goal": UNTARGETED}
        if access in broken:
            yield {**about, "attack": _behaviour.EVERY, "n": 0, "status": broken[access]}
        else:
            yield from summaries(settings, about)


def visible_rows(
    visible: Mapping[str, Records],
    tests: Mapping[str, Mapping[str, Any]],
    clean: Mapping[str, Records],
) -> Iterator[Row]:
    """Yield a row for each model and condition over the successes that were measured.

    Where the attack or the clean test failed, it says why.
    """
    for model, cell in visible.items():
        frame = cell.frame
        for attack, entry in tests.items():
            lost = cell.settings["failed"].get(attack)
            if clean[model].status != OK:
                lost = clean[model].status
            for condition, goal in goals_of(entry["conditions"].items()).items():
                row = {"model": model, "attack": attack, "condition": condition, "goal": goal}
                if lost:
                    yield {**row, "n": 0, "status": lost}
                    continue
                same = (frame["attack"] == attack) & (frame["condition"] == condition)
                yield visible_row(row, frame[same])


def _by_model(transfers: list[str]) -> dict[str, list[tuple[str, str]]]:
    """Return (attack, path) of the transfer records, by target model."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path in map(Path, transfers):
        found.setdefault(path.stem, []).append((path.parent.name, str(path)))
    return found


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        clean = {model: r for (model, _), r in read_cells(snakemake.input.clean).items()}
        tests, note = snakemake.params.tests, left_out(clean.values())
        found = (
            row
            for model, paths in _by_model(attack_by_attack(snakemake.input.transfers)).items()
            for row in rows(
                model, ((a, own(read_records(p), model)) for a, p in paths), tests, clean[model]
            )
        )
        write_table(snakemake.output.behaviour, found, _behaviour.COLUMNS, left_out=note)
        visible = {Path(p).stem: read_records(p) for p in snakemake.input.visible}
        found = visible_rows(visible, tests, clean)
        write_table(snakemake.output.visible, found, _visible_rows.COLUMNS, left_out=note)
        cards = {Path(p).parent.name: read_json(p) for p in snakemake.input.cards}
        found = twin_rows(
            snakemake.params.twins, clean, {model: card["classes"] for model, card in cards.items()}
        )
        write_table(snakemake.output.twins, found, _twin_rows.COLUMNS, left_out=note)
