"""Parameters that a catalogue entry gives a function, read without importing it."""

import ast
from functools import cache
from pathlib import Path

from workflow_scripts._schema import Mapping, StudyError

GIVEN = {  # parameters that the workflow gives itself, by package
    "models": {"classes", "shape", "file"},
    "training": {"rng", "done", "others"},
    "attacks": {"generators", "batch_size", "progress"},
    "probes": {"generators", "batch_size", "progress"},
    "generators": {"shape"},
    "search": {"generators", "batch_size", "progress", "mask", "eight_bit"},
    "steps": {"step_size"},
}


def fits(file: str, key: str, values: Mapping, folder: Path, name: str, function: str = "") -> None:
    """Check that ``values`` are keyword parameters of a function, read without importing it.

    It is that of the file's name, or another ``function`` of the file.

    Raises:
        StudyError: one is not, or one without a default is missing.
    """
    arguments = _arguments(folder, name, function or name)
    allowed = {a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)}
    given = GIVEN.get(folder.name, set())
    allowed = {parameter: d for parameter, d in allowed.items() if parameter not in given}
    if arguments.kwarg is None and (unknown := [p for p in values if p not in allowed]):
        names = ", ".join(allowed) or "none"
        raise StudyError(f"{file}: {key}: unknown parameter {unknown[0]!r}; allowed are {names}")
    if missing := [p for p, default in allowed.items() if default is None and p not in values]:
        raise StudyError(f"{file}: {key}: parameter {missing[0]!r} is missing")


def parameters(folder: Path, name: str) -> set[str]:
    """Return the names of the keyword parameters of a function."""
    return {argument.arg for argument in _arguments(folder, name, name).kwonlyargs}


def _arguments(folder: Path, name: str, function: str) -> ast.arguments:
    """Return the arguments of a function of a file of ``folder``, read without importing it."""
    path = folder / f"{name}.py"
    return _functions(path, path.stat().st_mtime_ns)[function]


@cache
def _functions(path: Path, time: int) -> dict[str, ast.arguments]:
    """Return the arguments of the functions of a file, as it was at a ``time``."""
    tree = ast.parse(path.read_text())
    return {node.name: node.args for node in tree.body if isinstance(node, ast.FunctionDef)}


def files(folder: Path) -> list[str]:
    """Return the items of a package: its files without a leading underscore."""
    return sorted(path.stem for path in folder.glob("*.py") if path.stem[0] != "_")
