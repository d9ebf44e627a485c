"""Making the tables of a finished study again from its records, by the same rules, elsewhere."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from workflow_scripts.write_manifest import files_in

# Rules that compute from records and tables alone, by how their names begin.
DERIVING = ("tabulate_", "compare_", "score")
SCORED = ("scores", "visibility")  # what those write that compute from records, beside tables
LEFT = ("results", ".git", ".snakemake", ".venv")  # neither code nor settings
MADE = ("logs", "benchmarks", "figures", "tables", "exports")  # folders that begin empty


def derived(folder: Path, root: Path = Path()) -> Iterator[tuple[Path, str]]:
    """Yield the tables and scores of a study that its records do not give, with what differs.

    They are made in a temporary folder in which every other file is a link to that of the study:
    a job replaces the link and never the file. The study is the one as it was run, study.yaml.
    """
    with tempfile.TemporaryDirectory(prefix="robusteval-verify-") as name:
        copy = Path(name)
        again = copy / "results" / folder.name
        _link(root.resolve(), folder.resolve(), copy)
        tables = sorted((folder / "tables").rglob("*.csv"))
        said = _made_again([str(table.relative_to(folder)) for table in tables], again, copy)
        for path in [*tables, *(f for kind in SCORED for f in files_in(folder / kind))]:
            other = again / path.relative_to(folder)
            if not other.is_file():
                yield path, f"could not be made again from the records: {said}"
            elif other.read_bytes() != path.read_bytes():
                yield path, f"not what the records give{_difference(path, other)}"


def deriving_rules(root: Path) -> list[str]:
    """Return the names of the rules that compute from records and tables alone."""
    text = "\n".join(path.read_text() for path in sorted((root / "rules").glob("*.smk")))
    names = re.findall(r"^rule (\w+):", text, re.MULTILINE)
    return [name for name in names if name.startswith(DERIVING)]


def _link(root: Path, folder: Path, copy: Path) -> None:
    """Fill ``copy`` with links to the project in ``root`` and to the files of a study."""
    for path in root.iterdir():
        if path.name not in LEFT:
            (copy / path.name).symlink_to(path)
    results = copy / "results"
    results.mkdir()
    for path in folder.parent.iterdir():
        if path != folder and path.name in ("images", "models", "published"):
            (results / path.name).symlink_to(path)
    for path in folder.rglob("*"):
        place = path.relative_to(folder)
        if path.is_file() and place.parts[0] not in MADE:
            (results / folder.name / place).parent.mkdir(parents=True, exist_ok=True)
            (results / folder.name / place).symlink_to(path)


def _made_again(tables: list[str], again: Path, copy: Path) -> str:
    """Make the tables, and the scores anew; return the last words of what failed, if anything."""
    rules = deriving_rules(copy)
    scores = [name for name in rules if name.startswith("score")]
    command = [sys.executable, "-m", "snakemake", "--quiet", "all", "--cores", "all"]
    command += ["--configfile", str(again / "study.yaml"), "--keep-going"]
    command += ["--allowed-rules", *rules, "--forcerun", *scores]
    command += ["--", *(str(again.relative_to(copy) / table) for table in tables)]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SNAKEMAKE_")}
    result = subprocess.run(command, cwd=copy, capture_output=True, text=True, env=environment)
    words = [line for line in (result.stdout + result.stderr).splitlines() if line.strip()]
    errors = [line for line in words if "rror" in line] or words[-1:] or ["no reason given"]
    return errors[-1].strip() if result.returncode else "no rule makes it"


def _difference(path: Path, other: Path) -> str:
    """Return where a table first differs, as people count lines; nothing of a file that is none."""
    if path.suffix != ".csv":
        return ""
    ours, theirs = (p.read_text(errors="replace").splitlines() for p in (path, other))
    for number, (one, two) in enumerate(zip(ours, theirs, strict=False), 1):
        if one != two:
            return f", first in line {number}: {one!r} against {two!r}"
    return f": {len(ours)} lines against {len(theirs)}"
