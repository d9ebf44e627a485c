"""Keeping the images that a list names: order, how names are written, and mistakes."""

import pickle
from pathlib import Path

import pytest

from robusteval.images._source import listing_of

PATHS = ("cat/10.png", "cat/9.png", "dog/1.png", "dog/9.png", "fish/2.png")
LISTS = sorted((Path(__file__).parents[3] / "config/paper").glob("su2018_seed_*.txt"))


@pytest.fixture
def listed(tree, tmp_path):
    """The listing of the images above that are on a list."""

    def make(text, layout="wnid_folders", **changes):
        folder = tree(*(f"images/{path}" for path in PATHS)) / "images"
        (tmp_path / "list.txt").write_text(text, encoding="utf-8")
        entry = {"folder": str(folder), "layout": layout, "only": str(tmp_path / "list.txt")}
        classes = {} if layout == "unlabelled" else {"classes": ["dog", "cat", "fish"]}
        return listing_of(entry | classes | changes)

    return make


@pytest.mark.parametrize("layout", ["wnid_folders", "unlabelled"])
def test_the_images_named_are_kept_in_the_order_of_the_folder(listed, shades, layout):
    listing = listed("\ufeff# mine\n2.png\n\ncat/9.png\r\n  10.png \n", layout)
    assert listing.names == ["cat/9.png", "cat/10.png", "fish/2.png"]
    assert listing.labels.tolist() == ([1, 1, 2] if layout == "wnid_folders" else [-1] * 3)
    assert shades(listing) == [1, 0, 4]
    assert shades(pickle.loads(pickle.dumps(listing))) == [1, 0, 4]  # workers get a copy


def test_promises_are_about_the_images_that_are_kept(listed):
    assert len(listed("1.png\n2.png\n", count=2).names) == 2
    with pytest.raises(ValueError, match=r"no image of 1 of 3 classes, the first is cat"):
        listed("1.png\n2.png\n", present="all")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.png\n3.png\n", r"list\.txt: not in .*images: 3\.png of 2 names; complete the folder"),
        ("3.png\n4.png\n1.png\n", r"3\.png \(the first of 2\) of 3 names"),
        ("cat/1.png\n", r"cat/1\.png of 1 names"),
        ("9.png\n", r"several images of .* are called 9\.png; put their folders before"),
        ("1.png\n1.png\n2.png\n", r"listed twice: 1\.png; name each image once"),
        ("1.png\ndog/1.png\n", r"2 names of 1 images"),
        ("\n# none\n", r"no name in it"),
    ],
)
def test_a_list_that_does_not_fit_the_folder(listed, text, message):
    with pytest.raises(ValueError, match=message) as error:
        listed(text)
    assert "\n" not in str(error.value)


def test_a_list_that_is_not_there(listed):
    with pytest.raises(ValueError, match=r"none\.txt: no such list"):
        listed("1.png\n", only="none.txt")


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_the_published_lists_name_1000_validation_images(path):
    names = [line for line in path.read_text().splitlines() if line[0] != "#"]
    assert len(set(names)) == len(names) == 1000
    numbers = [int(n.removeprefix("ILSVRC2012_val_").removesuffix(".JPEG")) for n in names]
    assert min(numbers) >= 1 and max(numbers) <= 50_000
    # that the code's readme and the rerun of it begin with
    assert numbers[0] == {"1215": 29510, "1216": 48470}[path.stem[-4:]]
