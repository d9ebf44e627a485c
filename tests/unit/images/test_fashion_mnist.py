import gzip
import hashlib
import subprocess
import urllib.error

import numpy as np
import pytest

from robusteval.images.sources import fashion_mnist as source


def idx(array):
    head = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    return head + array.tobytes()


IMAGES = np.arange(2 * 28 * 28).reshape(2, 28, 28).astype(np.uint8)
LABELS = np.array([3, 9], np.uint8)
RAW = {"t10k-images-idx3-ubyte": idx(IMAGES), "t10k-labels-idx1-ubyte": idx(LABELS)}
HASHES = {name: hashlib.sha256(content).hexdigest() for name, content in RAW.items()}


@pytest.fixture
def folder(tmp_path):
    """A folder of a user: one file as it is, one compressed."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "t10k-images-idx3-ubyte").write_bytes(RAW["t10k-images-idx3-ubyte"])
    packed = gzip.compress(RAW["t10k-labels-idx1-ubyte"])
    (tmp_path / "mine" / "t10k-labels-idx1-ubyte.gz").write_bytes(packed)
    return tmp_path / "mine"


@pytest.fixture
def offline(monkeypatch, tmp_path):
    """A machine without the package, without apt and without a network."""

    def no_apt(command, **_):
        raise subprocess.CalledProcessError(100, command, stderr="E: Unable to locate package")

    def no_network(*_, **__):
        raise urllib.error.URLError("no route")

    monkeypatch.setattr(source, "INSTALLED", tmp_path / "none")
    monkeypatch.setattr(source.subprocess, "run", no_apt)
    monkeypatch.setattr(source.urllib.request, "urlopen", no_network)


def test_images_and_labels_come_back(tmp_path, folder, offline):
    assert source.fetch(tmp_path / "raw", HASHES, str(folder)) == f"the folder {folder}"
    images, labels = source.fashion_mnist(tmp_path / "raw", "test")
    np.testing.assert_array_equal(images, IMAGES[..., None])
    assert labels.tolist() == [3, 9] and labels.dtype == np.int64


def test_files_that_are_there_are_not_fetched_again(tmp_path, folder, offline):
    source.fetch(tmp_path / "raw", HASHES, str(folder))
    assert source.fetch(tmp_path / "raw", HASHES) == str(tmp_path / "raw")


def test_the_installed_package_is_used(tmp_path, folder, offline, monkeypatch):
    monkeypatch.setattr(source, "INSTALLED", folder)
    assert "installed" in source.fetch(tmp_path / "raw", HASHES)


def test_one_flipped_bit_names_the_file(tmp_path, folder, offline):
    path = folder / "t10k-images-idx3-ubyte"
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"mine/t10k-images-idx3-ubyte: SHA-256 .* expected"):
        source.fetch(tmp_path / "raw", HASHES, str(folder))
    assert not list((tmp_path / "raw").glob("*images*"))


@pytest.mark.parametrize("name", ["t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte.gz"])
def test_half_a_file_names_the_file(tmp_path, folder, offline, name):
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=rf"mine/{name}: "):
        source.fetch(tmp_path / "raw", HASHES, str(folder))


def test_no_source_at_all_lists_what_was_tried(tmp_path, offline):
    with pytest.raises(FileNotFoundError) as error:
        source.fetch(tmp_path / "raw", HASHES, str(tmp_path / "empty"))
    message = str(error.value)
    assert "\n" not in message
    for part in ("the folder", "the installed Debian package", "apt-get download", "official"):
        assert part in message
    assert "E: Unable to locate package" in message and "no route" in message
    assert "folders: {fashion_mnist: PATH}" in message
