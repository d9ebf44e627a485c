"""Whether a finished study is still what it was when it ended, file by file and table by table."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from robusteval.files import read_json, sha256
from workflow_scripts._derive import derived
from workflow_scripts._provenance import catalogue_hash, is_table, provenance_of
from workflow_scripts._schema import load_yaml
from workflow_scripts.write_manifest import MANIFEST, files_of

RESULTS = Path("results")
NO_RECORDS = ("index.parquet", "trace.parquet")  # tables of images, and of the steps of searches


class MismatchError(Exception):
    """What does not match, a line each."""


def verify(study: Path, *, quick: bool = False) -> str:
    """Return what was verified of a study, named by results/<study> or its config file.

    Files are held against manifest.json; shards, weights and images against their own cards, which
    a manifest made again would not show; records against themselves; tables against the records
    that they were made of. Unless ``quick``, tables and scores are also made again from the
    records, in a folder of their own, and compared byte by byte. A note says so if the catalogue
    has changed since: that may be why.

    Raises:
        MismatchError: something does not match, with a line each.
        ValueError: the study has not ended yet.
    """
    folder = _folder(study)
    if not (folder / MANIFEST).is_file():
        raise ValueError(f"{folder}: no {MANIFEST}; run the study to its end first")
    try:
        manifest = {"files": dict(read_json(folder / MANIFEST)["files"])}
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(
            f"{folder / MANIFEST}: damaged; delete it and run the study again"
        ) from error
    found: dict[str, str] = {}  # one line a file: what was found first is nearest to the cause
    for findings in (
        _against_manifest(folder, manifest),
        _against_cards(folder, manifest),
        _against_themselves(folder),
        _against_sources(folder),
        () if quick else derived(folder),
    ):
        for path, line in findings:
            found.setdefault(str(path), line)
    notes = list(_of_the_catalogue(folder))
    if found:
        lines = [f"{path}: {line}" for path, line in found.items()]
        said = f"{len(lines)} files of {folder} do not match"
        raise MismatchError("\n".join([*lines, *notes, said]))
    tables = sum(map(is_table, manifest["files"]))
    made = "not made again" if quick else "made again from the records, byte by byte the same"
    said = f"{folder}: {len(manifest['files'])} files match; {tables} tables {made}"
    return "\n".join([*notes, said])


def _of_the_catalogue(folder: Path) -> Iterator[str]:
    """Yield a line if tables were made with another catalogue than today's."""
    tables = sorted((folder / "tables").rglob("*.csv"))
    today, others = catalogue_hash(), 0
    for path in map(provenance_of, tables):
        with suppress(OSError, ValueError, AttributeError):  # missing or damaged: said elsewhere
            others += read_json(path).get("catalogue_hash") != today
    if others:
        yield (
            f"note: {others} of {len(tables)} tables of {folder} were made with another "
            f"config/catalogue than today's, by which tables are made again"
        )


def _folder(study: Path) -> Path:
    """Return the folder of a study that is named by it, by its id or by its config file."""
    if study.suffix in (".yaml", ".yml"):
        return RESULTS / str(load_yaml(study).get("study"))
    return study if study.is_dir() else RESULTS / study.name


def _against_manifest(folder: Path, manifest: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield the files that are not those of the manifest, or not in it."""
    results = folder.parent
    for name, expected in manifest["files"].items():
        path = results / name
        if not path.is_file():
            yield path, "missing"
        elif (now := sha256(path)) != expected:
            yield path, f"changed since the study ended: SHA-256 {now[:16]}, not {expected[:16]}"
    for path in files_of(folder):
        if str(path.relative_to(results)) not in manifest["files"]:
            yield path, f"not in {MANIFEST}: it came after the study ended"


def _against_cards(folder: Path, manifest: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield shards, weights and images that are not those that a card was written for."""
    cards = {folder.parent / name for name in manifest["files"] if name.endswith("/card.json")}
    for path in sorted(cards | {p for p in files_of(folder) if p.name == "card.json"}):
        try:
            card = read_json(path) if path.is_file() else {}
        except ValueError:
            yield path, "damaged: it is no JSON"
            continue
        hashes = {f"{name}.safetensors": value for name, value in card.get("shards", {}).items()}
        if "weights_sha256" in card:
            hashes["weights.safetensors"] = card["weights_sha256"]
        own = card.get("sha256", {})  # of images; of neurons it is that of their ranges
        hashes |= own if isinstance(own, dict) else {"ranges.safetensors": own}
        for name, expected in hashes.items():
            file = path.parent / name
            if not file.is_file() or sha256(file) != expected:
                yield file, f"missing or not the file that {path} was written for"


def _against_themselves(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield records that are damaged, lack rows, or contradict their own logits."""
    import numpy as np

    from robusteval.records import read_records  # loads pandas, which other commands need not

    for path in files_of(folder):
        if path.suffix != ".parquet" or path.name in NO_RECORDS:
            continue
        try:
            records = read_records(path)
        except (ValueError, OSError) as error:
            yield path, str(error).removeprefix(f"{path}: ")
            continue
        if not records.logits.size or "prediction" not in records.frame:
            continue
        wrong = records.frame["prediction"].to_numpy() != records.logits.argmax(1)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            yield path, f"prediction of row {row} is not that of its largest logit"


def _against_sources(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield tables that are not what their job wrote, or older than what they were made of."""
    for path in sorted((folder / "tables").rglob("*.csv")):
        beside = provenance_of(path)
        if not beside.is_file():
            yield path, f"{beside.name}, which says where it comes from, is missing"
            continue
        try:
            made = read_json(beside)
            table, sources = made["sha256"], {k: v["sha256"] for k, v in made["sources"].items()}
        except (ValueError, KeyError, TypeError, AttributeError):
            yield path, f"{beside.name}, which says where it comes from, is damaged"
            continue
        if sha256(path) != table:
            yield path, f"not the table that {beside.name} was written for: edited by hand?"
        for source, expected in sources.items():
            shared = source.removeprefix("results/")  # which may lie elsewhere than the project
            file = folder.parent / shared if shared != source else Path(source)
            if not file.is_file() or sha256(file) != expected:
                yield path, f"older than what it was made of: {source} has changed since"
                break
