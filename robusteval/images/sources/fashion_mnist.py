"""Fashion-MNIST (Xiao, Rasul, Vollgraf 2017, arXiv 1708.07747): 70,000 images of 28 x 28 pixels.

The raw files are IDX files. They are looked for in a folder of the user, in the Debian package
``dataset-fashion-mnist`` (installed, or downloaded and unpacked without being root), and at the
official address. Compressed files differ between sources; the bytes inside do not.
"""

import gzip
import logging
import shutil
import subprocess
import tempfile
import urllib.request
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from robusteval.files import replacing, sha256

log = logging.getLogger(__name__)

PARTS = {"train": "train", "test": "t10k"}
INSTALLED = Path("/usr/share/datasets/fashion-mnist")
PACKAGE = "dataset-fashion-mnist"
ADDRESS = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com"


def fashion_mnist(raw: str | Path, part: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return images (N, 28, 28, 1) uint8 and labels (N,) of ``part``, "train" or "test"."""
    stem = PARTS[part]
    images = _read_idx(Path(raw) / f"{stem}-images-idx3-ubyte")
    labels = _read_idx(Path(raw) / f"{stem}-labels-idx1-ubyte")
    return images[..., None], labels.astype(np.int64)


def fetch(target: str | Path, hashes: Mapping[str, str], folder: str | None = None) -> str:
    """Put the raw files, decompressed and verified, into ``target``; return where they came from.

    ``hashes`` maps file names to the SHA-256 of their decompressed bytes.

    Raises:
        ValueError: a file in ``target`` or of the user's folder has other bytes.
        FileNotFoundError: no source works; the message lists what was tried and what to do.
    """
    target = Path(target)
    present = [target / name for name in hashes if (target / name).is_file()]
    for path in present:
        if (found := sha256(path)) != hashes[path.name]:
            raise ValueError(
                f"{path}: SHA-256 is {found}, {hashes[path.name]} expected; the file is damaged: "
                f"delete it and run again"
            )
    if len(present) == len(hashes):
        return str(target)
    sources: dict[str, Callable[[Path], Path]] = {
        f"the installed Debian package ({INSTALLED})": lambda _: INSTALLED,
        f"`apt-get download {PACKAGE}`": _download_package,
        f"the official address ({ADDRESS})": lambda work: _download_files(work, hashes),
    }
    if folder:
        sources = {f"the folder {folder}": lambda _: Path(folder), **sources}
    tried = []
    for name, find in sources.items():
        with tempfile.TemporaryDirectory() as work:
            try:
                source = find(Path(work))
                _copy(source, target, hashes)
            except (OSError, subprocess.SubprocessError, ValueError) as error:
                if isinstance(error, ValueError) and folder and source == Path(folder):
                    raise  # a folder that the user named must not be passed over in silence
                tried.append(f"{name}: {_reason(error)}")
                log.warning("%s", tried[-1])
                continue
        return name
    raise FileNotFoundError(
        f"Fashion-MNIST is not to be had. Tried: {'; '.join(tried)}. Put {', '.join(hashes)} "
        f"(each as it is or as .gz) into a folder and name it in the study: "
        f"`folders: {{fashion_mnist: PATH}}`"
    )


def _copy(source: Path, target: Path, hashes: Mapping[str, str]) -> None:
    for name, expected in hashes.items():
        plain, packed = source / name, source / f"{name}.gz"
        path = plain if plain.is_file() else packed
        with replacing(target / name) as temporary:
            try:
                with (
                    gzip.open(packed) if path == packed else plain.open("rb") as content,
                    temporary.open("wb") as out,
                ):
                    shutil.copyfileobj(content, out)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                raise ValueError(f"{path}: damaged ({error}); fetch it again") from error
            if (found := sha256(temporary)) != expected:
                raise ValueError(
                    f"{path}: SHA-256 of the content is {found}, {expected} expected; the file is "
                    f"damaged or another one: fetch it again"
                )


def _download_package(work: Path) -> Path:
    """Return the folder of the package's files, unpacked below ``work`` without being root."""
    command = ["apt-get", "-q", "download", PACKAGE]
    try:
        _run(command, work)
    except subprocess.SubprocessError:  # no package lists yet: fetch them beside the system's own
        (work / "lists" / "partial").mkdir(parents=True)
        own = ["-o", f"Dir::State::Lists={work / 'lists'}", "-o", f"Dir::Cache={work}"]
        _run(["apt-get", "-q", *own, "update"], work)
        _run([*command, *own], work)
    _run(["dpkg-deb", "-x", str(next(work.glob("*.deb"))), str(work)], work)
    return work / INSTALLED.relative_to("/")


def _download_files(work: Path, hashes: Mapping[str, str]) -> Path:
    for name in hashes:
        with (
            urllib.request.urlopen(f"{ADDRESS}/{name}.gz", timeout=30) as answer,
            (work / f"{name}.gz").open("wb") as out,
        ):
            shutil.copyfileobj(answer, out)
    return work


def _run(command: list[str], work: Path) -> None:
    subprocess.run(command, cwd=work, check=True, capture_output=True, text=True, timeout=300)


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        lines = str(error.stderr).strip().splitlines()
        return lines[-1] if lines else f"exit status {error.returncode}"
    return str(error)


def _read_idx(path: Path) -> NDArray[np.uint8]:
    """Return the array in an IDX file: two zero bytes, type 8 (uint8), rank, sizes, bytes."""
    raw = path.read_bytes()
    if raw[:3] != b"\x00\x00\x08":
        raise ValueError(f"{path}: not an IDX file of bytes; delete it and run again")
    rank = raw[3]
    shape = np.frombuffer(raw, ">u4", count=rank, offset=4)
    return np.frombuffer(raw, np.uint8, offset=4 + 4 * rank).reshape(tuple(shape))
