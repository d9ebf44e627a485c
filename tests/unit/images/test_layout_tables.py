"""Layouts with a list beside the images: text files and CSV tables."""

import pytest

from robusteval.images._labels import Classes
from robusteval.images.layouts.csv import csv
from robusteval.images.layouts.flat_list import flat_list

PETS = Classes(("dog", "cat", "fish"))
FILES = ["v_2.png", "v_10.png", "v_1.png"]  # shades 0, 1, 2; in natural order 2, 0, 1


@pytest.fixture
def folder(tree):
    return tree(*FILES)


@pytest.mark.parametrize(
    "text",
    [
        "v_10.png 2\nv_1.png 0\nv_2.png 1\n",
        "v_10.png,fish\nv_1.png,dog\n\nv_2.png,cat",
        "v_10.png\tfish\nv_1.png\t0\nv_2.png\tcat\n",
        "./v_10.png 2\nv_1 0\nv_2 1\n",  # without suffix, as ILSVRC lists them
        "0\n1\n2\n",  # labels alone, in the order of the files
        "dog\ncat\nfish\n",
    ],
)
def test_a_list_of_files_or_of_labels_alone(folder, shades, text):
    (folder / "labels.txt").write_text(text)
    listing = flat_list(folder, PETS, labels="labels.txt")
    assert listing.names == ["v_1.png", "v_2.png", "v_10.png"]
    assert listing.labels.tolist() == [0, 1, 2]
    assert shades(listing) == [2, 0, 1]


def test_a_name_with_blanks_and_an_unknown_label(tree):
    folder = tree("my cat.png")
    (folder / "l.txt").write_text("my cat.png -1")
    assert flat_list(folder, PETS, labels="l.txt").labels.tolist() == [-1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "v_1.png 1\nv_2.png 2\nv_10.png 3\n",
            r"v_10\.png has 3; 0 to 2 expected.* count from 1: .* devkit",
        ),
        ("1\n2\n3\n", r"v_10\.png has 3; .* give wnids or labels from 0"),
        ("v_1.png 0\nv_2.png 7\nv_10.png 9\n", r"v_2\.png has 7, the first of 2; 0 to 2 expected"),
        ("v_1.png 0\nv_2.png -2\nv_10.png 0\n", r"v_2\.png has -2; 0 to 2 expected, or -1"),
        ("v_1.png cow\nv_2.png 1\nv_10.png 1\n", r"1 images of .* v_1\.png of 'cow'"),
        ("v_1.png 0\n", r"images without labels in .*: v_2\.png \(the first of 2\)"),
        (
            "v_1.png 0\nv_2.png 0\nv_10.png 0\nv_3.png 0\n",
            r"labels without images: v_3\.png not in",
        ),
        ("v_1.png 0\nv_2.png 0\nv_10.png 0\nv_1.png 1\n", r"v_1\.png is listed twice"),
        ("0\n1\n", "2 labels for 3 images"),
        ("v_1.png 0\nv_2.png\nv_10.png 1\n", r"line 2: 'v_2\.png': `file label` expected"),
        ("\n", "empty"),
    ],
)
def test_lists_that_do_not_fit(folder, text, message):
    (folder / "labels.txt").write_text(text)
    with pytest.raises(ValueError, match=message) as error:
        flat_list(folder, PETS, labels="labels.txt")
    assert "\n" not in str(error.value)


def test_without_classes_a_list_may_count_from_any_number(folder):
    (folder / "labels.txt").write_text("5\n1\n5\n")
    assert flat_list(folder, Classes(), labels="labels.txt").labels.tolist() == [5, 1, 5]


def test_part_of_a_folder_when_asked_for(folder, shades):
    (folder / "labels.txt").write_text("v_2.png 1")
    listing = flat_list(folder, PETS, labels="labels.txt", unlisted="leave_out")
    assert listing.names == ["v_2.png"] and shades(listing) == [0]
    with pytest.raises(ValueError, match="unlisted: 'skip': one of error, leave_out expected"):
        flat_list(folder, PETS, labels="labels.txt", unlisted="skip")


def test_two_files_with_the_same_id(tree):
    folder = tree("v_1.png", "v_1.jpg", "v_2.png")
    (folder / "labels.txt").write_text("v_1 0\nv_2 1\n")
    with pytest.raises(ValueError, match="two files with the id v_1"):
        flat_list(folder, PETS, labels="labels.txt")


@pytest.mark.parametrize("layout", [flat_list, csv])
def test_no_such_list(folder, layout):
    key = "labels" if layout is flat_list else "table"
    with pytest.raises(ValueError, match=r"none\.txt: no such"):
        layout(folder, PETS, **{key: "none.txt"})


KAGGLE = """ImageId,PredictionString
v_10,fish 8 1 49 27 fish 9 2 8 7
v_1,dog 1 2 3 4
v_2,cat 0 0 1 1
"""


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("file,label\nv_10.png,2\nv_1.png,0\nv_2.png,1\n", {}),
        ("y;f\n2.0;v_10.png\n0.0;v_1.png\n1.0;v_2.png", dict(file="f", label="y", separator=";")),
        (KAGGLE, {"file": "ImageId", "label": "PredictionString"}),
    ],
)
def test_tables_with_columns(folder, shades, text, options):
    (folder / "t.csv").write_text(text)
    listing = csv(folder, PETS, table="t.csv", **options)
    assert listing.names == ["v_1.png", "v_2.png", "v_10.png"]
    assert listing.labels.tolist() == [0, 1, 2]
    assert shades(listing) == [2, 0, 1]


def test_a_class_id_may_have_blanks(tree):
    folder = tree("1.png", "2.png")
    (folder / "t.csv").write_text("file,label\n1.png,great white shark\n2.png,sea cow\n")
    classes = Classes(("tench", "great white shark"), {"sea cow": 0})
    assert csv(folder, classes, table="t.csv").labels.tolist() == [1, 0]


def test_a_table_without_labels(folder):
    (folder / "t.csv").write_text("file,x\nv_10.png,a\nv_1.png,b\nv_2.png,c\n")
    assert csv(folder, PETS, table="t.csv", label=None).labels.tolist() == [-1, -1, -1]
    with pytest.raises(ValueError, match="no column 'label'; there are file, x"):
        csv(folder, PETS, table="t.csv")


def test_an_empty_label_is_named(folder):
    (folder / "t.csv").write_text("file,label\nv_10.png,1\nv_1.png,\nv_2.png,2\n")
    with pytest.raises(ValueError, match=r"no label for v_1\.png"):
        csv(folder, PETS, table="t.csv")


def test_something_else_than_a_table(folder):
    (folder / "t.csv").write_bytes(b"")
    with pytest.raises(ValueError, match=r"t\.csv: not a table"):
        csv(folder, PETS, table="t.csv")
