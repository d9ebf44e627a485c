"""Archives: a folder of plain files as one tar file, the same bytes for the same files.

Remote storage is slow with many small files; one archive a (model, attack) is fast. What comes back
may have been written by anybody, so that it is unpacked member by member, into one folder only, and
held against the hashes that it brings along.
"""

import re
import shutil
import tarfile
import tempfile
from pathlib import Path

from robusteval.files import read_json, replacing, sha256

CARD = "card.json"  # says which shards belong to the folder, with their hashes
NAME = re.compile(r"[A-Za-z0-9_]+\.(json|parquet|safetensors)")


def pack(folder: Path, archive: Path) -> None:
    """Write the files that the card of ``folder`` names, with the card and its records.

    Names are sorted, and times, owners and rights are left out: equal files give equal bytes.

    Raises:
        ValueError: a shard is missing or is not the one that the card names.
    """
    names = sorted([CARD, "records.parquet", *_checked(folder)])
    with (
        replacing(archive) as temporary,
        tarfile.open(temporary, "w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for name in names:
            about = tarfile.TarInfo(name)
            about.size, about.mode = (folder / name).stat().st_size, 0o644
            with (folder / name).open("rb") as content:
                tar.addfile(about, content)


def unpack(archive: Path, folder: Path) -> list[str]:
    """Put the files of ``archive`` into ``folder``; return the names of those that were not there.

    A file that is there with the same bytes is left alone, its time included.

    Raises:
        ValueError: the archive is damaged, holds anything but plain files with plain names, or its
            shards are not those that its card names. Then ``folder`` is as it was.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".unpacked_", dir=folder.parent) as work:
        _extract(archive, Path(work))
        try:
            named = _checked(Path(work))
        except ValueError as error:
            raise ValueError(f"{archive}: {error}") from error
        came = sorted(path.name for path in Path(work).iterdir())
        if strange := set(came) - {CARD, "records.parquet", *named}:
            raise ValueError(f"{archive}: {min(strange)}: its card does not name this file")
        folder.mkdir(exist_ok=True)
        new = [name for name in came if not _same(Path(work, name), folder / name)]
        # The card at last: whoever finds it may believe that all the others are there.
        for name in sorted(new, key=lambda name: name == CARD):
            Path(work, name).replace(folder / name)
    return new


def _extract(archive: Path, folder: Path) -> None:
    try:
        with tarfile.open(archive, "r:") as tar:
            for member in tar:
                # A sparse one may say that it is as large as the disk.
                plain = member.isfile() and not member.issparse()
                if not plain or not NAME.fullmatch(member.name):
                    raise ValueError(
                        f"{archive}: {member.name!r}: only plain files of records and shards "
                        f"expected, in no folder; the archive is not one of ours: delete it"
                    )
                content = tar.extractfile(member)
                assert content is not None  # it is a file
                with (folder / member.name).open("xb") as out:
                    shutil.copyfileobj(content, out)
    except (tarfile.TarError, EOFError) as error:
        raise ValueError(f"{archive}: damaged ({error}); fetch it again") from error
    except FileExistsError as error:
        raise ValueError(f"{archive}: {error.filename}: twice in it") from error


def _checked(folder: Path) -> list[str]:
    """Return the shards that the card of ``folder`` names, their bytes held against it."""
    if not (folder / CARD).is_file():
        raise ValueError(f"{CARD} is missing; the set is not finished")
    card = read_json(folder / CARD)
    shards = card.get("shards") if isinstance(card, dict) else None
    if not isinstance(shards, dict):
        raise ValueError(f"{CARD}: names no shards; make the set again")
    names = []
    for stem, expected in shards.items():
        name = f"{stem}.safetensors"
        if not NAME.fullmatch(name) or not (folder / name).is_file():
            raise ValueError(f"the shard {name} is missing; make the set again")
        if (found := sha256(folder / name)) != expected:
            raise ValueError(f"{name}: SHA-256 is {found}, {expected} expected; make the set again")
        names.append(name)
    return names


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and sha256(one) == sha256(other)
