"""Where a table comes from, beside the table: ``accuracy.json`` for ``accuracy.csv``.

In the table itself, hashes would hide the numbers. Every job that writes tables writes these
files too, so a table made alone has one; nothing in them depends on the time or the folder.
"""

import json
import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from robusteval.files import key_of, read_json, sha256, write_json
from workflow_scripts._lists import expanded

CATALOGUE = Path("config/catalogue")
PACKAGES = ("robusteval", "numpy", "pandas", "scipy", "pyarrow")  # those that compute tables
MEASURED = ("torch", "device", "precision", "seed")  # as the settings of records and cards say


def write_provenance(
    outputs: Iterable[str], inputs: Iterable[str], study: Mapping[str, Any]
) -> None:
    """Write beside each table in ``outputs`` what it was made of; other files have none."""
    tables = [Path(path) for path in outputs if is_table(path)]
    if not tables:
        return
    named = list(inputs)
    files = dict.fromkeys([*named, *expanded(named)])
    code = [path for path in files if path.endswith(".py")]
    sources = {path: about(Path(path)) for path in files if path not in code}
    measured: dict[str, list[Any]] = {key: [] for key in MEASURED}
    for source in sources.values():
        for key, values in source.pop("measured").items():
            measured[key] += [value for value in values if value not in measured[key]]
    made = {
        "study": study["study"],
        "study_hash": key_of(study),
        "catalogue_hash": catalogue_hash(),
        "software": {"python": platform.python_version(), **{p: version_of(p) for p in PACKAGES}},
        "code_hash": key_of({path: sha256(path) for path in code}),
        "sources": sources,
        **{key: sorted(values, key=str) for key, values in measured.items()},
        "seed": sorted({study["seed"], *measured["seed"]}),
    }
    for table in tables:
        write_json(provenance_of(table), {"table": table.name, "sha256": sha256(table), **made})


def is_table(path: str | Path) -> bool:
    """Return whether a file is one of the tables of a study, in a folder of its own or not."""
    return Path(path).suffix == ".csv" and "tables" in Path(path).parts


def provenance_of(table: Path) -> Path:
    """Return the path of the file that says where a table comes from."""
    return table.with_suffix(".json")


def catalogue_hash(folder: Path = CATALOGUE) -> str:
    """Return the hash of the catalogue's files; a study's own entries are part of its own hash."""
    return key_of({path.name: sha256(path) for path in sorted(folder.glob("*.yaml"))})


def version_of(package: str) -> str:
    """Return a package's version; that of this project where it runs without being installed."""
    from robusteval import __version__

    return __version__ if package == "robusteval" else version(package)


def about(path: Path) -> dict[str, Any]:
    """Return the hash of a file that tables are made of, its n, and what it was measured with."""
    found: dict[str, Any] = {"sha256": sha256(path)}
    settings = _settings(path)
    if "n" in settings:
        found["n"] = settings["n"]
    found["measured"] = {
        key: settings[key] if isinstance(settings[key], list) else [settings[key]]
        for key in MEASURED
        if key in settings
    }
    return found


def _settings(path: Path) -> Mapping[str, Any]:
    """Return what a file says of how it was made: records, a card, or another table."""
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        raw = (pq.read_schema(path).metadata or {}).get(b"robusteval")
        content: dict[str, Any] = json.loads(raw) if raw else {}
        return {"n": content["n"], **content["settings"]} if content else {}
    file = provenance_of(path) if path.suffix == ".csv" else path
    if file.suffix != ".json" or not file.is_file():
        return {}
    content = read_json(file)
    return {k: v for k, v in content.items() if k in ("n", *MEASURED)}
