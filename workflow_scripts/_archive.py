"""Adversarial images to and from a remote of DVC, an archive for each (model, attack).

The archives' pins, data/archives/<study>/<model>/<attack>.tar.dvc, are small files for git.
"""

import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from robusteval.archives import pack, unpack
from robusteval.files import read_json

PINS = Path("data/archives")
RESULTS = Path("results")
ID = re.compile(r"[a-z0-9_]+")


def push(study: str, remote: str | None = None) -> str:
    """Pack, pin and push a study's finished adversarial sets; return what to do with the pins.

    Raises:
        ValueError: there are none, a shard is not the one that its card names, or DVC fails.
    """
    name = _checked(study)
    folders = list(_finished(RESULTS / name / "adversarial"))
    if not folders:
        raise ValueError(f"{RESULTS / name}/adversarial: no finished adversarial set here")
    archives = [PINS / name / f.parent.name / f"{f.name}.tar" for f in folders]
    for folder, archive in zip(folders, archives, strict=True):
        try:
            pack(folder, archive)
        except ValueError as error:
            raise ValueError(f"{folder}: {error}") from error
    _dvc("add", archives)
    _dvc("push", _pins(archives), remote)
    _forget(archives)
    return (
        f"{len(archives)} archives pushed. Commit their pins: git add {PINS / name} && git commit"
    )


def pull(study: str, remote: str | None = None) -> str:
    """Pull and unpack the archives whose pins are here; return how many files were missing.

    Raises:
        ValueError: there are no pins, DVC fails, or an archive is not what its card says.
    """
    name = _checked(study)
    pins = sorted((PINS / name).glob("*/*.tar.dvc"))
    if not pins:
        raise ValueError(f"{PINS / name}: no pins of archives here; are they in git?")
    archives = [pin.with_suffix("") for pin in pins]
    _dvc("pull", pins, remote)
    new = 0
    for archive in archives:
        model, attack = archive.parent.name, archive.stem
        for part in (model, attack):
            _checked(part)
        new += len(unpack(archive, RESULTS / name / "adversarial" / model / attack))
    _forget(archives)
    return f"{len(archives)} archives pulled: {new} files were missing or different"


def _checked(study: str) -> str:
    """Return the id of a study, of a model or of an attack; results/ before it is passed over."""
    name = study.removeprefix(f"{RESULTS}/").rstrip("/")
    if not ID.fullmatch(name):
        raise ValueError(f"{study}: the name of a study expected, as in results/demo or demo")
    return name


def _finished(folder: Path) -> Iterator[Path]:
    """Yield the adversarial sets that are whole: an impossible one has a card without images."""
    for card in sorted(folder.glob("*/*/card.json")):
        if read_json(card)["shards"]:
            yield card.parent


def _pins(archives: Sequence[Path]) -> list[Path]:
    return [archive.with_suffix(".tar.dvc") for archive in archives]


def _forget(archives: Sequence[Path]) -> None:
    """Delete the archives, which are in DVC's cache, and unpacked in results/."""
    for archive in archives:
        archive.unlink(missing_ok=True)


def _dvc(command: str, files: Sequence[Path], remote: str | None = None) -> None:
    chosen = ["--remote", remote] if remote else []
    call = [sys.executable, "-m", "dvc", command, "--quiet", *chosen, *map(str, files)]
    result = subprocess.run(call, capture_output=True, text=True)
    if result.returncode:
        lines = (result.stderr or result.stdout).strip().splitlines()
        reason = next((line for line in lines if line.startswith("ERROR")), "\n".join(lines[-1:]))
        raise ValueError(f"dvc {command}: {reason}; `dvc remote list` shows where it goes")
