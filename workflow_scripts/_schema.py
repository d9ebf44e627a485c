"""Reading YAML files and holding them to config/schema.yaml, with one-line errors for people."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError, best_match

Mapping = dict[str, Any]


def _whole(validator: Any, pattern: str, text: Any, schema: Any) -> Iterator[ValidationError]:
    """Yield an error unless all of ``text`` is as ``pattern``: "$" also ends before a newline."""
    if isinstance(text, str) and not re.fullmatch(pattern.strip("^$"), text):
        yield ValidationError(f"{text!r} is not as {pattern}")


# JSON Schema calls 1000.0 an integer; as a seed or a count it would not be the same as 1000.
_Validator = validators.extend(
    Draft202012Validator,
    {"pattern": _whole},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ),
)


class StudyError(ValueError):
    """A mistake in a study or the catalogue: file, key, what is wrong, what is allowed."""


# In C, where there is a library for it: the catalogue is read at each start of Snakemake.
_Safe: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _UniqueKeys(_Safe):  # type: ignore[misc]
    """A YAML loader that refuses a key given twice, which YAML would settle in silence."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = [k.value for k, _ in node.value if k.tag != "tag:yaml.org,2002:merge"]
        if twice := sorted({key for key in keys if keys.count(key) > 1}):
            where = node.start_mark
            raise StudyError(f"{where.name}: {twice[0]}: given twice")
        made: dict[Any, Any] = super().construct_mapping(node, deep)
        return made


def load_yaml(path: Path) -> Mapping:
    """Return a YAML file's mapping; a key given twice is an error."""
    try:
        with path.open() as file:
            content = yaml.load(file, _UniqueKeys)
    except yaml.YAMLError as error:
        raise StudyError(f"{short(path)}: not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(content, dict):
        raise StudyError(f"{short(path)}: a mapping of keys expected")
    return content


@cache
def definition(config: Path, name: str) -> Any:
    """Return the validator of a definition of ``config``/schema.yaml."""
    return _Validator({"$ref": f"#/$defs/{name}", "$defs": _definitions(config)})


@cache
def _definitions(config: Path) -> Mapping:
    schema = load_yaml(config / "schema.yaml")
    definitions: Mapping = schema["$defs"]
    return definitions


def validate(content: Any, schema: Any, where: str) -> None:
    """Check ``content`` by the validator of a definition.

    Raises:
        StudyError: it is not as the schema says.
    """
    error = best_match(schema.iter_errors(content))
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
            return f"{twice(value)[0]!r} is given twice"
        case "minimum" | "exclusiveMinimum" | "maximum":
            bound = {"minimum": "at least", "exclusiveMinimum": "more than", "maximum": "at most"}
            return f"{value!r}: {bound[error.validator]} {allowed} expected"
        case "pattern" if allowed == "^[a-z0-9_]+$":
            return f"{value!r}: an id of lower-case letters, digits and _ expected"
        case "pattern":
            return f"{value!r}: letters, digits, spaces and . , _ / - expected"
        case "dependentRequired":
            missing = [k for key in allowed if key in value for k in allowed[key] if k not in value]
            return f"key {missing[0]!r} is missing"
        case "oneOf":
            ways = [", ".join(way["required"]) for way in allowed if "required" in way]
            if ways:
                return f"exactly one of these expected: {'; '.join(ways)}"
        case "not":
            return f"{value!r} is the name of a folder that studies share; choose another"
    return error.message


def known(where: str, key: str, items: list[str], allowed: Any) -> None:
    for item in items:
        if item not in allowed:
            raise StudyError(
                f"{where}: {key}: unknown id {item!r}; allowed are {', '.join(allowed)}"
            )


def twice(values: list[Any]) -> list[Any]:
    return sorted({value for value in values if values.count(value) > 1}, key=str)


def enough(where: str, count: int, exist: int) -> None:
    if count > exist:
        raise StudyError(f"{where}: {count} images asked, {exist} exist")


def short(path: Path) -> str:
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)
