"""Published weights: the file that they come in, found or fetched, and verified."""

import importlib.util
import logging
import shutil
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from robusteval.files import replacing, sha256

log = logging.getLogger(__name__)

SECONDS = 60  # without a byte from a server

# How files begin that people take for weights, and what to do about it.
BEGINNINGS = (
    (b"version https://git-lfs", "a git-lfs pointer, not the weights: run `git lfs pull`"),
    (b"outs:", "a DVC pin, not the weights: run `dvc pull`"),
    (b"<!doctype html", "an HTML page, not weights: the address leads to a web page"),
    (b"<html", "an HTML page, not weights: the address leads to a web page"),
    (b"<", "an HTML or XML page, not weights: the address leads to a web page or an error"),
    (b"{", "JSON text, not weights"),
    (b"\x1f\x8b", "a gzip archive: unpack it first"),
    (b"\x89hdf", "an HDF5 file (Keras?), not weights of PyTorch"),
)


def found(weights: Mapping[str, Any], downloads: str | Path) -> tuple[Path, dict[str, Any]]:
    """Return the file that ``weights`` names, and where it is from as an entry of a card.

    ``weights`` has one of these, and ``sha256``, which only a file of the user may lack:

        file              a path, relative to the current folder
        package and file  an installed package, by its import name, and a path inside it
        url               an address; the file is kept in ``downloads`` by its hash

    Raises:
        ValueError: the file is not there, cannot be fetched, has another hash or is no weights.
    """
    expected = weights.get("sha256")
    if "url" in weights:
        path = _fetched(weights["url"], expected, Path(downloads))
        origin = {"url": weights["url"]}
    elif "package" in weights:
        path = _inside(weights["package"], weights["file"])
        origin = {"package": weights["package"], "file": weights["file"]}
        origin["version"] = _version(weights["package"])
    else:
        path = Path(weights["file"]).expanduser()
        origin = {"file": weights["file"]}
    if not path.is_file():
        raise ValueError(f"{path}: no such file of weights; relative paths start at {Path.cwd()}")
    return path, {**origin, "sha256": _verified(path, expected, path)}


def wrong_kind(path: Path) -> str | None:
    """Return what ``path`` is, and what to do, if a look at its first bytes shows no weights."""
    with path.open("rb") as file:
        head = file.read(256)
    if not head:
        return "an empty file"
    if is_safetensors(head):
        return None  # its first bytes are a number and may look like anything
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return next((words for begin, words in BEGINNINGS if start.startswith(begin)), None)


def is_safetensors(head: bytes) -> bool:
    """Return whether a file begins with ``head`` as safetensors do: a length, then JSON."""
    return head[4:9] == b"\0\0\0\0{"  # no description of tensors is as long as 4 GiB


def _verified(path: Path, expected: str | None, name: object) -> str:
    """Return the hash of a file.

    Raises:
        ValueError: with ``name``: another hash is expected, or the file is no weights.
    """
    kind = wrong_kind(path)
    digest = sha256(path)
    if expected is not None and digest != expected:
        raise ValueError(
            f"{name}: SHA-256 is {digest}, {expected} expected: "
            + (f"this is {kind}" if kind else "another file, or a damaged or incomplete one")
        )
    if kind:
        raise ValueError(f"{name}: this is {kind}")
    return digest


def _inside(package: str, file: str) -> Path:
    """Return a file of an installed package, which is not imported."""
    top, *inner = package.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None or not spec.submodule_search_locations:
        raise ValueError(
            f"package {package}: not installed here; install it (its name for pip often has - for "
            f"_), or name a file instead"
        )
    folders = [Path(folder, *inner) for folder in spec.submodule_search_locations]
    return next((f / file for f in folders if (f / file).is_file()), folders[0] / file)


def _version(package: str) -> str:
    """Return the version of the distribution that has the name of the package."""
    try:
        return version(package.split(".")[0])
    except PackageNotFoundError:  # of another name: to look through all of them takes seconds
        return "unknown"


def _fetched(url: str, expected: str | None, downloads: Path) -> Path:
    """Return the file at ``url``, from ``downloads`` if it was fetched before."""
    if expected is None:
        raise ValueError(f"{url}: sha256 is missing; a download has to be verified")
    path = downloads / expected
    if path.is_file() and sha256(path) == expected:
        return path
    log.info("fetching %s", url)
    with replacing(path) as temporary:
        try:
            with (
                urllib.request.urlopen(url, timeout=SECONDS) as answer,
                temporary.open("wb") as out,
            ):
                shutil.copyfileobj(answer, out)
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            raise ValueError(
                f"{url}: cannot be fetched ({reason}): connect to the network, or fetch the file "
                "by hand and name it: weights: {file: PATH, sha256: ...}"
            ) from error
        _verified(temporary, expected, url)
    return path
