"""Weights from a file, an installed package or an address."""

import sys

import pytest

from robusteval.files import sha256
from robusteval.models._origin import found

CONTENT = b"\x80\x02weights"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "w.pth"
    path.write_bytes(CONTENT)
    return path


def test_a_file_of_the_user_needs_no_hash(file, tmp_path, monkeypatch):
    digest = sha256(file)
    expected = file, {"file": str(file), "sha256": digest}
    assert found({"file": str(file)}, tmp_path) == expected
    assert found({"file": str(file), "sha256": digest}, tmp_path) == expected
    monkeypatch.chdir(tmp_path)
    assert found({"file": "w.pth"}, tmp_path)[0].read_bytes() == CONTENT
    with pytest.raises(ValueError, match=r"none\.pth: no such file of weights; relative paths"):
        found({"file": "none.pth"}, tmp_path)


def test_another_hash_is_named_with_what_the_file_is(file, tmp_path):
    with pytest.raises(ValueError, match=rf"SHA-256 is {sha256(file)}, {64 * '0'} expected: anoth"):
        found({"file": str(file), "sha256": 64 * "0"}, tmp_path)
    file.write_text("<!DOCTYPE html><title>Sign in</title>")
    with pytest.raises(ValueError, match=r"0 expected: this is an HTML page, not weights"):
        found({"file": str(file), "sha256": 64 * "0"}, tmp_path)
    with pytest.raises(ValueError, match=r"w\.pth: this is an HTML page, not weights"):
        found({"file": str(file)}, tmp_path)


def test_a_package_is_found_and_not_imported(tmp_path, monkeypatch):
    inside = tmp_path / "some_weights" / "models"
    inside.mkdir(parents=True)
    (tmp_path / "some_weights" / "__init__.py").write_text("raise RuntimeError('imported')")
    (inside / "w.pth").write_bytes(CONTENT)
    monkeypatch.syspath_prepend(tmp_path)
    weights = {"package": "some_weights", "file": "models/w.pth"}
    path, origin = found(weights, tmp_path)
    assert path == inside / "w.pth" and "some_weights" not in sys.modules
    assert origin == {**weights, "version": "unknown", "sha256": sha256(path)}
    dotted = {"package": "some_weights.models", "file": "w.pth"}
    assert found(dotted, tmp_path)[0] == path
    with pytest.raises(ValueError, match=r"models/none\.pth: no such file of weights"):
        found({"package": "some_weights", "file": "models/none.pth"}, tmp_path)
    with pytest.raises(ValueError, match="package no_such_weights: not installed here"):
        found({"package": "no_such_weights", "file": "w.pth"}, tmp_path)
    assert found({"package": "numpy", "file": "__init__.py"}, tmp_path)[1]["version"][0].isdigit()


def test_a_download_is_verified_and_kept(file, tmp_path):
    weights = {"url": file.as_uri(), "sha256": sha256(file)}
    downloads = tmp_path / "downloads"
    path, origin = found(weights, downloads)
    assert path.read_bytes() == CONTENT and origin == weights
    file.unlink()
    assert found(weights, downloads)[0] == path  # no second download
    path.write_bytes(b"damaged since")
    with pytest.raises(ValueError, match=r"w\.pth: cannot be fetched \(.*connect to the network"):
        found(weights, downloads)


def test_a_bad_download_leaves_nothing_behind(file, tmp_path):
    file.write_text("<html>Quota exceeded</html>")
    downloads = tmp_path / "downloads"
    with pytest.raises(ValueError, match=r"file:.*expected: this is an HTML page, not weights"):
        found({"url": file.as_uri(), "sha256": 64 * "0"}, downloads)
    assert not list(downloads.iterdir())
    with pytest.raises(ValueError, match="sha256 is missing; a download has to be verified"):
        found({"url": file.as_uri()}, downloads)
