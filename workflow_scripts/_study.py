"""Reading and checking a study and the catalogue, with one-line errors for people."""

from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

Mapping = dict[str, Any]
PACKAGES = {"corrupt": "corruptions", "unrecognisable": "images/unrecognisable"}  # of a kind's sets


class StudyError(ValueError):
    """A mistake in a study or the catalogue: file, key, what is wrong, what is allowed."""


class _UniqueKeys(yaml.SafeLoader):
    """A YAML loader that refuses a key given twice, which YAML would settle in silence."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [k.value for k, _ in node.value if k.tag != "tag:yaml.org,2002:merge"]
        if twice := sorted({key for key in keys if keys.count(key) > 1}):
            where = node.start_mark
            raise StudyError(f"{where.name}: {twice[0]}: given twice")
        return super().construct_mapping(node, deep)


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
            _validate(entry, _definition(config, name), f"{_short(path)}: {key}")
    _check_items(catalogue, config.parent / "robusteval", _short(config / "catalogue"))
    return catalogue


def check_study(study: Mapping, catalogue: Mapping, config: Path, files: list[str]) -> None:
    """Check a study against the schema and the catalogue, before any job starts.

    Raises:
        StudyError: with the file, the key, the value and the allowed values in one line.
    """
    name = ", ".join(_short(Path(file)) for file in files)
    if not study:
        raise StudyError("no study: name one with --configfile config/demo.yaml")
    for file in files:
        load_yaml(Path(file))
    _validate(study, _definition(config, "study"), name)
    known_sets = {i: e for i, e in catalogue["images"].items() if "source" in e}
    _known(name, "images", [study["images"]], known_sets)
    _known(name, "models", study["models"], catalogue["models"])
    _known(name, "tests", study["tests"], catalogue["tests"])
    _known(name, "baseline", [study["baseline"]], study["models"])
    _check_tests(study, catalogue, name)
    images = known_sets[study["images"]]
    for model in study["models"]:
        trained_on = known_sets[catalogue["models"][model]["training"]["images"]]
        if [trained_on[k] for k in ("classes", "shape")] != [
            images[k] for k in ("classes", "shape")
        ]:
            raise StudyError(
                f"{name}: models: {model} is trained on images whose classes or shape differ from "
                f"those of {study['images']}"
            )


def _check_tests(study: Mapping, catalogue: Mapping, name: str) -> None:
    """Check that the tests go together and that as many images exist as each asks for."""
    tests = {test: catalogue["tests"][test] for test in study["tests"]}
    if "clean" not in tests:
        raise StudyError(f"{name}: tests: clean is missing; the others are measured beside it")
    if twice := _twice([s for test in tests.values() for s in test.get("sets", [])]):
        raise StudyError(f"{name}: tests: image set {twice[0]!r} belongs to two of the tests")
    exist = catalogue["images"][study["images"]]["count"]
    for test, entry in tests.items():
        kind = entry["kind"]
        if kind not in study["counts"]:
            raise StudyError(f"{name}: counts: {kind} is missing; the test {test} needs it")
        count = study["counts"][kind]
        if kind == "novel":
            for images in entry["sets"]:
                _enough(f"{name}: counts: novel", count, catalogue["images"][images]["count"])
        else:
            _enough(f"{name}: counts: {kind}", count, exist)
    clean = study["counts"]["clean"]
    for kind in ("corrupt", "adversarial"):
        if (asked := study["counts"].get(kind, 0)) > clean:
            raise StudyError(
                f"{name}: counts: {kind}: {asked} images asked; at most the {clean} of the clean "
                f"test, which says what a model makes of the same images undisturbed"
            )


def load_yaml(path: Path) -> Mapping:
    """Return a YAML file's mapping; a key given twice is an error."""
    try:
        with path.open() as file:
            content = yaml.load(file, _UniqueKeys)
    except yaml.YAMLError as error:
        raise StudyError(f"{_short(path)}: not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise StudyError(f"{_short(path)}: a mapping of keys expected")
    return content


def _definition(config: Path, name: str) -> Mapping:
    schema: Mapping = yaml.safe_load((config / "schema.yaml").read_text())
    return {"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]}


def _validate(content: Any, schema: Mapping, where: str) -> None:
    error = best_match(Draft202012Validator(schema).iter_errors(content))
    if error is not None:
        key = ".".join(str(part) for part in error.absolute_path)
        raise StudyError(f"{where}: {key + ': ' if key else ''}{_reason(error)}")


def _reason(error: ValidationError) -> str:
    """Return what is wrong and what is allowed, in the words of a person."""
    value, allowed = error.instance, error.validator_value
    match error.validator:
        case "additionalProperties":
            unknown = sorted(set(value) - set(error.schema["properties"]))
            return (
                f"unknown key {unknown[0]!r}; allowed are {', '.join(error.schema['properties'])}"
            )
        case "required":
            missing = [key for key in allowed if key not in value]
            return f"key {missing[0]!r} is missing"
        case "type":
            return f"{value!r}: {allowed} expected"
        case "enum" | "const":
            allowed = allowed if isinstance(allowed, list) else [allowed]
            return f"{value!r}: one of {', '.join(map(str, allowed))} expected"
        case "minItems" | "minProperties" if not value:
            return "empty; at least one expected"
        case "uniqueItems":
            return f"{_twice(value)[0]!r} is given twice"
        case "minimum" | "exclusiveMinimum" | "maximum":
            bound = {"minimum": "at least", "exclusiveMinimum": "more than", "maximum": "at most"}
            return f"{value!r}: {bound[error.validator]} {allowed} expected"
        case "pattern":
            return f"{value!r}: an id of lower-case letters, digits and _ expected"
    return error.message


def _known(where: str, key: str, items: list[str], allowed: Any) -> None:
    for item in items:
        if item not in allowed:
            raise StudyError(
                f"{where}: {key}: unknown id {item!r}; allowed are {', '.join(allowed)}"
            )


def _twice(values: list[Any]) -> list[Any]:
    return sorted({value for value in values if values.count(value) > 1}, key=str)


def _enough(where: str, count: int, exist: int) -> None:
    if count > exist:
        raise StudyError(f"{where}: {count} images asked, {exist} exist")


def _check_items(catalogue: Mapping, library: Path, where: str) -> None:
    """Check that each file and each image set that an entry names is there."""
    images = catalogue["images"]
    for name, entry in images.items():
        package = "sources" if "source" in entry else "novel"
        item = entry.get("source") or entry["novel"]
        _known(f"{where}/images.yaml", f"{name}", [item], _files(library / "images" / package))
    for name, entry in catalogue["models"].items():
        file, training = f"{where}/models.yaml", entry["training"]
        _known(file, f"{name}.builder", [entry["builder"]], _files(library / "models"))
        _known(file, f"{name}.method", [training["method"]], _files(library / "training"))
        known_sets = [i for i, e in images.items() if "source" in e]
        _known(file, f"{name}.images", [training["images"], training["tested_on"]], known_sets)
        exist = images[training["images"]]["count"]
        _enough(f"{file}: {name}.count", training["count"], exist)
    for name, entry in catalogue["tests"].items():
        file, kind = f"{where}/tests.yaml", entry["kind"]
        if kind == "adversarial":
            _known(file, f"{name}.attack", [entry["attack"]], _files(library / "attacks"))
        elif kind == "novel":
            novel = [i for i, e in images.items() if "novel" in e]
            _known(file, f"{name}.sets", entry["sets"], novel)
        elif kind in PACKAGES:
            _known(file, f"{name}.sets", entry["sets"], _files(library / PACKAGES[kind]))


def _files(folder: Path) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.py") if path.stem[0] != "_")


def _short(path: Path) -> str:
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
