"""Adversarial sets as archives: the same bytes, and nothing outside their folder."""

import io
import os
import tarfile

import pytest

from robusteval.archives import pack, unpack
from robusteval.files import sha256, write_json


@pytest.fixture
def folder(tmp_path):
    """A set of two shards; a file that is not of the set lies beside them."""
    return adversarial_set(tmp_path / "set")


def adversarial_set(folder):
    folder.mkdir(parents=True)
    for stem in ("b", "a"):
        (folder / f"{stem}.safetensors").write_bytes(stem.encode() * 1000)
    (folder / "records.parquet").write_bytes(b"records")
    (folder / ".half.tmp").write_bytes(b"half")
    hashes = {stem: sha256(folder / f"{stem}.safetensors") for stem in ("a", "b")}
    write_json(folder / "card.json", {"shards": hashes})
    return folder


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name[0] != "."}


def forged(path, *members):
    """Write an archive of (name, type, content) and return its path."""
    with tarfile.open(path, "w") as tar:
        for name, kind, content in members:
            about = tarfile.TarInfo(name)
            about.type, about.size = kind, len(content)
            about.linkname = "/etc/hostname" if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE) else ""
            tar.addfile(about, io.BytesIO(content))
    return path


def test_equal_files_give_equal_bytes(tmp_path, folder):
    pack(folder, tmp_path / "one.tar")
    for path in folder.iterdir():
        os.utime(path, (1, 1))
        path.chmod(0o600)
    pack(folder, tmp_path / "two.tar")
    assert sha256(tmp_path / "one.tar") == sha256(tmp_path / "two.tar")
    with tarfile.open(tmp_path / "one.tar") as tar:
        names = ["a.safetensors", "b.safetensors", "card.json", "records.parquet"]
        assert tar.getnames() == names


def test_what_was_deleted_comes_back_and_nothing_else_is_touched(tmp_path, folder):
    pack(folder, tmp_path / "set.tar")
    before = files(folder)
    (folder / "a.safetensors").unlink()
    (folder / "b.safetensors").write_bytes(b"flipped")
    kept = (folder / "card.json").stat().st_mtime_ns
    assert unpack(tmp_path / "set.tar", folder) == ["a.safetensors", "b.safetensors"]
    assert files(folder) == before
    assert (folder / "card.json").stat().st_mtime_ns == kept
    assert unpack(tmp_path / "set.tar", folder) == []
    assert len(unpack(tmp_path / "set.tar", tmp_path / "elsewhere/set")) == 4
    assert files(tmp_path / "elsewhere/set") == before


def test_a_set_that_is_not_what_its_card_says_is_not_packed(tmp_path, folder):
    (folder / "a.safetensors").write_bytes(b"flipped")
    with pytest.raises(ValueError, match=r"a\.safetensors: SHA-256 is .* expected"):
        pack(folder, tmp_path / "set.tar")
    (folder / "a.safetensors").unlink()
    with pytest.raises(ValueError, match=r"the shard a\.safetensors is missing"):
        pack(folder, tmp_path / "set.tar")
    (folder / "card.json").unlink()
    with pytest.raises(ValueError, match=r"card\.json is missing"):
        pack(folder, tmp_path / "set.tar")
    assert not (tmp_path / "set.tar").exists()


@pytest.mark.parametrize(
    "name, kind",
    [
        ("../out.json", tarfile.REGTYPE),
        ("/tmp/out.json", tarfile.REGTYPE),
        ("deeper/out.json", tarfile.REGTYPE),
        ("out.py", tarfile.REGTYPE),
        (".hidden.json", tarfile.REGTYPE),
        ("out.json", tarfile.GNUTYPE_SPARSE),
        ("out.json", tarfile.SYMTYPE),
        ("out.json", tarfile.LNKTYPE),
        ("out.json", tarfile.DIRTYPE),
        ("out.json", tarfile.FIFOTYPE),
        ("out.json", tarfile.CHRTYPE),
    ],
)
def test_no_member_leaves_its_folder(tmp_path, folder, name, kind):
    before = files(folder)
    path = forged(tmp_path / "bad.tar", (name, kind, b""))
    with pytest.raises(ValueError, match="only plain files of records and shards expected"):
        unpack(path, folder)
    assert files(folder) == before
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.tar", "set"]


def test_an_archive_that_its_card_does_not_describe_is_refused(tmp_path, folder):
    before, card = files(folder), (folder / "card.json").read_bytes()
    whole = [(n, tarfile.REGTYPE, c) for n, c in before.items()]
    for message, members in {
        "a.safetensors is missing": [("card.json", tarfile.REGTYPE, card)],
        "names no shards": [("card.json", tarfile.REGTYPE, b"[]")],
        "card does not name": [*whole, ("c.safetensors", tarfile.REGTYPE, b"c")],
        "twice in it": [*whole, whole[0]],
        "SHA-256": [(n, k, b"flipped" if n == "a.safetensors" else c) for n, k, c in whole],
    }.items():
        with pytest.raises(ValueError, match=message):
            unpack(forged(tmp_path / "bad.tar", *members), folder)
        assert files(folder) == before


def test_half_an_archive_is_damaged(tmp_path, folder):
    pack(folder, tmp_path / "set.tar")
    content = (tmp_path / "set.tar").read_bytes()
    for length in (700, 1500):  # within a header, within a file
        (tmp_path / "half.tar").write_bytes(content[:length])
        with pytest.raises(ValueError, match=r"half\.tar: (damaged|card\.json is missing)"):
            unpack(tmp_path / "half.tar", tmp_path / "new")
    (tmp_path / "half.tar").write_bytes(b"<html>")
    with pytest.raises(ValueError, match=r"half\.tar: damaged"):
        unpack(tmp_path / "half.tar", tmp_path / "new")
