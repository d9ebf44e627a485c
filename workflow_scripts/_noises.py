"""The noises that a probe's conditions name, held against the files that make them."""

from collections.abc import Callable
from pathlib import Path

from robusteval.corruptions._severities import FAMILIES
from workflow_scripts._schema import Mapping, StudyError, known

NEEDS = {  # what each kind says beside its name; an attack has settings of its own
    "gaussian": {"sd"},
    "uniform": {"eps"},
    "corruption": {"name", "severity", "family"},
    "attack": {"name"},
}
NOISY = ("noise_insensitivity", "neuron_sensitivity")  # probes that must be told their noises

Fits = Callable[[str, str, Mapping, Path, str], None]


def check_noises(
    where: str, key: str, probe: str, values: Mapping, library: Path, fits: Fits
) -> None:
    """Check the noises of a condition: their keys, and that attacks and corruptions are there.

    ``fits`` checks the settings of an attack against its function.

    Raises:
        StudyError: with the file, the key and what is expected.
    """
    if probe in NOISY and "noises" not in values:
        raise StudyError(f"{where}: {key}: noises is missing; {probe} needs at least one")
    for label, noise in values.get("noises", {}).items():
        place, kind = f"{key}.noises.{label}", noise["kind"]
        given = {k: v for k, v in noise.items() if k != "kind"}
        if missing := sorted(NEEDS[kind] - given.keys()):
            raise StudyError(f"{where}: {place}: {missing[0]} is missing; a {kind} needs it")
        if kind == "attack":
            name = given.pop("name")
            attacks = sorted(p.stem for p in (library / "attacks").glob("[!_]*.py"))
            known(where, f"{place}.name", [name], attacks)
            fits(where, place, given, library / "attacks", name)
            continue
        if unknown := sorted(given.keys() - NEEDS[kind]):
            allowed = ", ".join(sorted(NEEDS[kind]))
            raise StudyError(f"{where}: {place}: unknown key {unknown[0]!r}; allowed are {allowed}")
        if kind == "corruption":
            known(where, f"{place}.family", [given["family"]], list(FAMILIES))
            known(where, f"{place}.name", [given["name"]], list(FAMILIES[given["family"]]))
