"""Write down every file of a finished study, with its hash."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from robusteval.files import key_of, sha256, write_json
from workflow_scripts._provenance import catalogue_hash

log = logging.getLogger(__name__)

MANIFEST = "manifest.json"
# How a run went, which another run tells otherwise; and what is asked for at any later time.
UNLISTED = ("logs", "benchmarks", "exports", "metrics.json", MANIFEST)


def write_manifest(study: Mapping[str, Any], shared: Iterable[str], path: Path) -> None:
    """Write the hashes of all files in the folder of ``path``, and of those in ``shared`` folders.

    Paths are relative to the folder of results, in which studies share models and image sets.
    """
    results = path.parent.parent
    files = [*files_of(path.parent), *(f for name in shared for f in files_in(results / name))]
    hashes = {str(file.relative_to(results)): sha256(file) for file in files}
    log.info("%d files", len(hashes))
    content = {
        "study": study["study"],
        "study_hash": key_of(study),
        "catalogue_hash": catalogue_hash(),
        "files": hashes,
    }
    write_json(path, content)


def files_of(folder: Path) -> Iterator[Path]:
    """Yield the files of a study that a manifest lists."""
    for path in sorted(folder.iterdir()):
        if path.name in UNLISTED or path.name[0] == ".":
            continue
        if path.is_dir():
            yield from files_in(path)
        elif path.is_file():
            yield path


def files_in(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder and those below it, hidden ones aside; none if it is not there.

    A hidden file is one that is being written, or was when a job was killed.
    """
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(part[0] == "." for part in path.relative_to(folder).parts):
            yield path


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        write_manifest(
            snakemake.params.study, snakemake.params.shared, Path(snakemake.output.manifest)
        )
