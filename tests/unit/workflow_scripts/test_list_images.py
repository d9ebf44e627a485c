import logging

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from robusteval.files import read_json, sha256
from robusteval.images._image_set import read_image_set
from workflow_scripts import list_images as script
from workflow_scripts.list_images import list_images
from workflow_scripts.view_images import view_images


@pytest.fixture
def entry(tmp_path):
    """A folder with 40 pictures of three classes, one grey, in sizes of their own."""
    rng = np.random.default_rng(0)
    for i in range(40):
        path = tmp_path / "mine" / ("cat", "dog", "cow")[i % 3] / f"{i}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        pixels = rng.integers(0, 256, (8 + i, 10, 3), np.uint8)
        Image.fromarray(pixels if i else pixels[..., 0]).save(path)
    return {
        "folder": str(tmp_path / "mine"),
        "layout": "wnid_folders",
        "classes": ["dog", "cat"],
        "others": "unknown",
    }


def run(entry, folder, workers=1):
    list_images(entry, folder / "manifest.parquet", folder / "card.json", workers)
    return pd.read_parquet(folder / "manifest.parquet"), read_json(folder / "card.json")


def test_the_manifest_says_what_each_image_is(entry, tmp_path):
    manifest, card = run(entry, tmp_path / "out")
    assert manifest["image_id"].tolist() == list(range(40))
    first = manifest.iloc[0].to_dict()
    path = tmp_path / "mine" / "cat" / "0.png"
    assert first == {
        "image_id": 0, "path": "cat/0.png", "label": 1, "sha256": sha256(path),
        "width": 10, "height": 8, "mode": "L", "status": "ok",
    }  # fmt: skip
    assert manifest["path"].tolist()[1:3] == ["cat/3.png", "cat/6.png"]
    assert manifest["label"].value_counts().to_dict() == {1: 14, 0: 13, -1: 13}
    assert card["count"] == 40 and card["skipped"] == 0 and card["skipped_files"] == []
    assert card["unknown"] == 13 and card["images_a_class"] == [13, 14]
    assert card["classes"] == ["dog", "cat"] and card["layout"] == "wnid_folders"
    assert card["sha256"] == {"manifest.parquet": sha256(tmp_path / "out" / "manifest.parquet")}


@pytest.fixture
def damaged(tmp_path, entry):
    """The folder, with two files that cannot be read."""
    path = tmp_path / "mine" / "cat" / "3.png"
    path.write_bytes(path.read_bytes()[:100])
    (tmp_path / "mine" / "dog" / "4.png").write_text("<html>")
    return entry


def test_a_damaged_file_is_an_error_that_names_it(damaged, tmp_path):
    with pytest.raises(ValueError, match=r"cat/3\.png: .*truncated.*; 2 of 40 images") as error:
        run(damaged, tmp_path / "out")
    assert "on_unreadable: skip" in str(error.value) and "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_damaged_files_are_skipped_if_asked_for_and_counted(damaged, tmp_path, caplog):
    caplog.set_level(logging.INFO)
    manifest, card = run({**damaged, "on_unreadable": "skip"}, tmp_path / "out")
    bad = manifest[manifest["status"] != "ok"]
    assert bad["path"].tolist() == ["cat/3.png", "dog/4.png"]
    assert bad["sha256"].tolist()[1] == sha256(tmp_path / "mine" / "dog" / "4.png")
    assert card["count"] == 38 and card["skipped"] == 2
    assert [f["path"] for f in card["skipped_files"]] == ["cat/3.png", "dog/4.png"]
    assert "no picture format begins with '<html>'" in card["skipped_files"][1]["reason"]
    assert "skipped: cat/3.png" in caplog.text and "40 of 40 images" in caplog.text


def test_nothing_but_damage_is_an_error_whatever_was_asked_for(entry, tmp_path):
    for path in (tmp_path / "mine").rglob("*.png"):
        path.write_text("")
    with pytest.raises(ValueError, match="40 of 40 images cannot be read"):
        run({**entry, "on_unreadable": "skip"}, tmp_path / "out")


def test_workers_change_no_byte(damaged, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "BLOCK", 3)
    for workers in (1, 2):
        run({**damaged, "on_unreadable": "skip"}, tmp_path / str(workers), workers)
    for name in ("manifest.parquet", "card.json"):
        assert sha256(tmp_path / "1" / name) == sha256(tmp_path / "2" / name)


def test_a_file_twice_is_counted(entry, tmp_path):
    mine = tmp_path / "mine"
    (mine / "dog" / "copy.png").write_bytes((mine / "cat" / "0.png").read_bytes())
    assert run(entry, tmp_path / "out")[1]["same_content_as_another"] == 1


def test_an_unknown_way_with_unreadable_files(entry, tmp_path):
    with pytest.raises(ValueError, match="on_unreadable: 'ignore': one of error, skip expected"):
        run({**entry, "on_unreadable": "ignore"}, tmp_path / "out")


def test_orientation_goes_into_width_and_height(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    (tmp_path / "mine" / "0").mkdir(parents=True)
    Image.new("RGB", (20, 10)).save(tmp_path / "mine" / "0" / "a.jpg", exif=exif)
    entry = {"folder": str(tmp_path / "mine"), "layout": "numbered_folders"}
    for orientation, size in (("apply", (10, 20)), ("ignore", (20, 10))):
        manifest, card = run({**entry, "orientation": orientation}, tmp_path / orientation)
        assert tuple(manifest.loc[0, ["width", "height"]]) == size
        assert card["orientation"] == orientation


def test_what_a_list_does_not_name_is_not_looked_at(entry, tmp_path):
    (tmp_path / "list.txt").write_text("31.png\ncat/3.png\n")
    (tmp_path / "mine" / "cow" / "2.png").write_bytes(b"damaged, and not on the list")
    asked = entry | {"only": str(tmp_path / "list.txt"), "count": 2}
    manifest, card = run(asked, tmp_path / "out")
    assert manifest["path"].tolist() == ["cat/3.png", "dog/31.png"]
    assert manifest["image_id"].tolist() == [0, 1]
    assert card["count"] == 2 and card["skipped"] == 0
    view = {"size": 8, "crop_fraction": 1.0, "interpolation": "lanczos", "resize": "shorter_side"}
    folder = tmp_path / "views"
    out = tmp_path / "out"
    view_images(out / "manifest.parquet", out / "card.json", view, folder, 1)
    images = read_image_set(folder)
    assert images.index["path"].tolist() == ["cat/3.png", "dog/31.png"]
    assert images.index["label"].tolist() == [1, 0]
