"""The catalogue: everything that can be run, by id."""

import ast
from pathlib import Path

from workflow_scripts._schema import (
    Mapping,
    StudyError,
    definition,
    enough,
    known,
    load_yaml,
    short,
    validate,
)

PACKAGES = {"corrupt": "corruptions", "unrecognisable": "images/unrecognisable"}  # of a kind's sets


# Parameters of models, training methods and attacks that the workflow gives itself.
GIVEN = {"classes", "shape", "rng", "done", "generators", "batch_size", "progress"}


def load_catalogue(config: Path) -> Mapping:
    """Return {"images": ..., "models": ..., "tests": ...} from ``config``/catalogue/*.yaml.

    Raises:
        StudyError: an entry is not as config/schema.yaml says, or names a file that is not there.
    """
    catalogue = {}
    for name in ("images", "models", "tests"):
        path = config / "catalogue" / f"{name}.yaml"
        catalogue[name] = load_yaml(path)
        for key, entry in catalogue[name].items():
            where = f"{short(path)}: {key}"
            validate(key, definition(config, "id"), where)
            if name == "tests":
                validate(entry, definition(config, "test"), where)
                validate(entry, definition(config, entry["kind"]), where)
            else:
                validate(entry, definition(config, name), where)
    _check_items(catalogue, config.parent / "robusteval", short(config / "catalogue"))
    return catalogue


def _check_items(catalogue: Mapping, library: Path, where: str) -> None:
    """Check that each file and each image set that an entry names is there."""
    images = catalogue["images"]
    for name, entry in images.items():
        package = "sources" if "source" in entry else "novel"
        item = entry.get("source") or entry["novel"]
        known(f"{where}/images.yaml", f"{name}", [item], _files(library / "images" / package))
    for name, entry in catalogue["models"].items():
        file, training = f"{where}/models.yaml", entry["training"]
        known(file, f"{name}.builder", [entry["builder"]], _files(library / "models"))
        known(file, f"{name}.method", [training["method"]], _files(library / "training"))
        known_sets = [i for i, e in images.items() if "source" in e]
        builder, method = entry["builder"], training["method"]
        _fits(file, f"{name}.arguments", entry["arguments"], library / "models", builder)
        given = training["method_arguments"]
        _fits(file, f"{name}.method_arguments", given, library / "training", method)
        if training["batch_size"] > training["count"]:
            raise StudyError(
                f"{file}: {name}.batch_size: {training['batch_size']}: at most the number of "
                f"training images, {training['count']}, expected"
            )
        known(file, f"{name}.images", [training["images"], training["tested_on"]], known_sets)
        exist = images[training["images"]]["count"]
        enough(f"{file}: {name}.count", training["count"], exist)
    for name, entry in catalogue["tests"].items():
        file, kind = f"{where}/tests.yaml", entry["kind"]
        if kind == "adversarial":
            known(file, f"{name}.attack", [entry["attack"]], _files(library / "attacks"))
            for condition, values in entry["conditions"].items():
                _fits(file, f"{name}.{condition}", values, library / "attacks", entry["attack"])
        elif kind == "novel":
            novel = [i for i, e in images.items() if "novel" in e]
            known(file, f"{name}.sets", entry["sets"], novel)
        elif kind in PACKAGES:
            known(file, f"{name}.sets", entry["sets"], _files(library / PACKAGES[kind]))


def _fits(file: str, key: str, values: Mapping, folder: Path, name: str) -> None:
    """Check that ``values`` are keyword parameters of a function, read without importing it."""
    tree = ast.parse((folder / f"{name}.py").read_text())
    functions = {node.name: node.args for node in tree.body if isinstance(node, ast.FunctionDef)}
    arguments = functions[name]
    allowed = {a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)}
    allowed = {parameter: d for parameter, d in allowed.items() if parameter not in GIVEN}
    if unknown := [parameter for parameter in values if parameter not in allowed]:
        names = ", ".join(allowed) or "none"
        raise StudyError(f"{file}: {key}: unknown parameter {unknown[0]!r}; allowed are {names}")
    if missing := [p for p, default in allowed.items() if default is None and p not in values]:
        raise StudyError(f"{file}: {key}: parameter {missing[0]!r} is missing")


def _files(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.py") if path.stem[0] != "_")
