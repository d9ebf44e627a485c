import numpy as np
import pytest
from PIL import Image

from robusteval.files import read_json, sha256
from robusteval.images._image_set import read_image_set
from robusteval.images._view import View, viewed
from workflow_scripts import view_images as script
from workflow_scripts.list_images import list_images
from workflow_scripts.view_images import view_images

VIEW = {"size": 12, "crop_fraction": 0.875, "interpolation": "bilinear"}


@pytest.fixture
def mine(tmp_path):
    """40 pictures in numbered folders, sizes of their own, one of them damaged."""
    rng = np.random.default_rng(0)
    for i in range(40):
        path = tmp_path / "mine" / str(i % 4) / f"{i}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(rng.integers(0, 256, (8 + i, 30, 3), np.uint8)).save(path)
    (tmp_path / "mine" / "0" / "4.png").write_text("<html>")
    return tmp_path / "mine"


@pytest.fixture
def listed(mine, tmp_path):
    """The manifest and its card."""
    entry = {"folder": str(mine), "layout": "numbered_folders", "on_unreadable": "skip"}
    paths = tmp_path / "manifest.parquet", tmp_path / "card.json"
    list_images(entry, *paths, 1)
    return paths


def test_an_image_set_in_the_view_without_the_damaged_image(mine, listed, tmp_path):
    view_images(*listed, VIEW, tmp_path / "set", 1)
    images = read_image_set(tmp_path / "set")
    assert images.images.shape == (39, 12, 12, 3)
    assert images.index.columns.tolist() == ["image_id", "label", "condition", "severity", "path"]
    assert images.index["image_id"].tolist() == [0, *range(2, 40)]  # ids stay if it is mended
    assert set(images.index["condition"]) == {"clean"} and set(images.index["severity"]) == {0}
    view = View(12, 0.875, "bilinear")
    for i, path, label in images.index[["path", "label"]].itertuples():
        expected = viewed(np.asarray(Image.open(mine / path)), view)
        assert np.array_equal(images.images[i], expected)
        assert label == int(path.split("/")[0])
    card = images.card
    assert card["left_out"] == {tmp_path.name: 1} and card["skipped_files"][0]["path"] == "0/4.png"
    assert card["view"]["size"] == 12 and card["view"]["resize"] == "shorter_side"
    assert card["manifest_sha256"] == sha256(listed[0]) and card["count"] == 39


def test_workers_change_no_byte(listed, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "BLOCK", 3)
    for workers in (1, 2):
        view_images(*listed, VIEW, tmp_path / str(workers), workers)
    for name in ("images.npy", "index.parquet", "card.json"):
        assert sha256(tmp_path / "1" / name) == sha256(tmp_path / "2" / name)


def test_a_file_that_changed_since_it_was_listed(mine, listed, tmp_path):
    Image.new("RGB", (30, 15)).save(mine / "3" / "7.png")
    with pytest.raises(ValueError, match=r"3/7\.png: changed since it was listed: SHA-256 is") as e:
        view_images(*listed, VIEW, tmp_path / "set", 1)
    assert "\n" not in str(e.value)
    assert not list((tmp_path / "set").iterdir())


def test_a_file_that_is_gone(mine, listed, tmp_path):
    (mine / "3" / "7.png").unlink()
    with pytest.raises(ValueError, match=r"3/7\.png was listed and is gone \(1 in all\)"):
        view_images(*listed, VIEW, tmp_path / "set", 1)


def test_a_file_that_came_later_does_not_count(mine, listed, tmp_path):
    Image.new("RGB", (30, 15)).save(mine / "0" / "0a.png")
    view_images(*listed, VIEW, tmp_path / "set", 1)
    assert len(read_image_set(tmp_path / "set").images) == 39


def test_a_manifest_that_is_not_the_one_listed(listed, tmp_path):
    listed[0].write_bytes(listed[0].read_bytes() + b" ")
    with pytest.raises(ValueError, match=r"manifest\.parquet: SHA-256 is .* list the images again"):
        view_images(*listed, VIEW, tmp_path / "set", 1)


def test_leftovers_of_a_killed_run_are_removed(listed, tmp_path):
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / ".images.npy.123.tmp.npy").write_bytes(bytes(1000))
    view_images(*listed, VIEW, tmp_path / "set", 1)
    names = sorted(path.name for path in (tmp_path / "set").iterdir())
    assert names == ["card.json", "images.npy", "index.parquet"]


def test_as_stored_needs_one_size(mine, listed, tmp_path):
    with pytest.raises(ValueError, match=r"30 x \d+ pixels, 30 x 8 expected as in 0/0\.png; give"):
        view_images(*listed, "as_stored", tmp_path / "set", 1)


def test_arrays_as_stored_come_back_bit_for_bit(tmp_path):
    images = np.random.default_rng(0).integers(0, 256, (40, 8, 8, 1), np.uint8)
    np.savez_compressed(tmp_path / "x.npz", images=images, labels=np.arange(40) % 2)
    options = {"file": "x.npz"}
    entry = {"folder": str(tmp_path), "layout": "arrays", "options": options, "classes": ["a", "b"]}
    listed = tmp_path / "manifest.parquet", tmp_path / "card.json"
    list_images(entry, *listed, 1)
    view_images(*listed, "as_stored", tmp_path / "set", 1)
    assert np.array_equal(read_image_set(tmp_path / "set").images, images)
    assert read_json(tmp_path / "set" / "card.json")["view"]["size"] is None


def test_too_narrow_a_picture_is_named(mine, listed, tmp_path):
    Image.new("RGB", (900, 1)).save(mine / "0" / "8.png")
    entry = {"folder": str(mine), "layout": "numbered_folders", "on_unreadable": "skip"}
    list_images(entry, *listed, 1)
    with pytest.raises(ValueError, match=r"0/8\.png: 900 x 1 pixels are too narrow"):
        view_images(*listed, {**VIEW, "resize": "border"}, tmp_path / "set", 1)
