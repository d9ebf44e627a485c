"""Raw files are fetched by their pin, which says under which licence they were published."""

import hashlib

import pytest
import yaml

from robusteval.files import read_json
from workflow_scripts.fetch_images import fetch_images


@pytest.fixture
def pin(tmp_path):
    """A pin of a package's file that is there already, without a licence."""
    (tmp_path / "ice").mkdir()
    (tmp_path / "ice/a.png").write_bytes(b"ice")
    package = {"package": "nothing", "version": "1", "folder": "ice"}
    hashes = {"a.png": hashlib.sha256(b"ice").hexdigest()}
    path = tmp_path / "ice.dvc"
    path.write_text(yaml.safe_dump({"meta": {"package": package, "sha256": hashes}}))
    return path


def test_a_set_without_a_licence_is_refused(tmp_path, pin):
    with pytest.raises(ValueError, match=r"ice\.dvc: meta: the field licence is missing"):
        fetch_images("ice", pin, None, tmp_path / "receipt.json")
    assert not (tmp_path / "receipt.json").exists()
    fetch_images("ice", pin, None, tmp_path / "receipt.json", allow_unlicensed=True)
    assert list(read_json(tmp_path / "receipt.json")["sha256"]) == ["a.png"]


@pytest.mark.parametrize("empty", ["", "  ", None])
def test_an_empty_licence_is_none(tmp_path, pin, empty):
    content = yaml.safe_load(pin.read_text())
    content["meta"]["licence"] = empty
    pin.write_text(yaml.safe_dump(content))
    with pytest.raises(ValueError, match="the field licence is missing"):
        fetch_images("ice", pin, None, tmp_path / "receipt.json")


def test_a_licence_lets_a_set_in(tmp_path, pin):
    content = yaml.safe_load(pin.read_text())
    content["meta"]["licence"] = "CC0-1.0"
    pin.write_text(yaml.safe_dump(content))
    fetch_images("ice", pin, None, tmp_path / "receipt.json")
    assert (tmp_path / "receipt.json").is_file()
