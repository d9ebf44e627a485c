"""What a catalogue entry says, turned into a listing: ImageNet's relatives and mistakes."""

import pytest

from robusteval.images._class_lists import class_list, labels_in_imagenet
from robusteval.images._folder import folder_of
from robusteval.images._source import class_ids, listing_of

PHOTOGRAPHS = {
    "folder": "package:foolbox/data",
    "layout": "labelled_names",
    "options": {"pattern": r"imagenet_(?P<id>\d+)_(?P<label>\d+)\.jpg"},
    "classes": "imagenet_1k",
    "count": 20,
}


def test_the_photographs_of_a_package():
    listing = listing_of(PHOTOGRAPHS)
    assert listing.names[0] == "imagenet_00_243.jpg" and listing.names[19] == "imagenet_19_305.jpg"
    assert listing.labels[:3].tolist() == [243, 559, 438]
    assert listing.read(0)[:3] == b"\xff\xd8\xff"  # JPEG


def test_a_package_that_is_not_there():
    for text in ("package:no_such_package/data", "package:foolbox/none", "package:", "nowhere"):
        with pytest.raises(ValueError, match=r"install it|no such folder"):
            folder_of(text)


@pytest.mark.parametrize("name", ["imagenet_a", "imagenet_r"])
def test_the_200_folders_of_imagenet_a_and_r_have_labels_among_the_1000(tree, name):
    folder = str(tree(*(f"{wnid}/x.png" for wnid in class_list(name))))
    entry = {"folder": folder, "layout": "wnid_folders", "classes": "imagenet_1k"}
    listing = listing_of({**entry, "present": name, "count": 200})
    assert listing.labels.tolist() == list(labels_in_imagenet(name))
    with pytest.raises(ValueError, match=f"0 to 199, .*`present: {name}`"):
        listing_of({**entry, "classes": name})
    with pytest.raises(ValueError, match="no image of 800 of 1,000 classes"):
        listing_of({**entry, "present": "all"})


def test_imagenet_v2_has_folders_by_number(tree):
    folder = str(tree(*(f"{i}/x.png" for i in range(1000))))
    entry = {"folder": folder, "layout": "numbered_folders", "classes": "imagenet_1k"}
    listing = listing_of({**entry, "present": "all", "count": 1000})
    assert listing.labels.tolist() == list(range(1000)) and listing.names[10] == "10/x.png"


def test_imagenet_o_is_unknown(tree):
    folder = str(tree("n00007846/x.png", "n01443537/y.png"))
    entry = {"folder": folder, "layout": "wnid_folders", "classes": "imagenet_1k"}
    assert listing_of({**entry, "others": "unknown"}).labels.tolist() == [-1, 1]


def test_own_classes_may_be_part_of_the_folder(tree):
    folder = str(tree("cat/1.png", "cow/2.png", "dog/3.png"))
    entry = {"folder": folder, "layout": "wnid_folders", "classes": ["dog", "cat"]}
    listing = listing_of({**entry, "others": "leave_out", "present": ["dog", "cat"]})
    assert listing.names == ["cat/1.png", "dog/3.png"] and listing.labels.tolist() == [1, 0]
    mapped = listing_of({**entry, "mapping": {"cow": "cat"}})
    assert mapped.labels.tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"layout": "folders"}, "unknown images.layouts 'folders'; there are arrays, .*csv"),
        ({"options": {}}, "the layout labelled_names needs pattern"),
        ({"options": {"patern": "x"}}, "'patern' is no option of .*; there are pattern"),
        ({"layout": "wnid_folders"}, "'pattern' is no option of the layout .*; it has none"),
        ({"classes": "imagenet"}, "unknown list of classes 'imagenet'"),
        ({"classes": ["a", "a"]}, "classes: a is given twice"),
        ({"others": "ignore"}, "others: 'ignore': one of error, unknown, leave_out expected"),
        ({"mapping": {"243": "hound"}}, "mapping: 243: 'hound' is not among the classes"),
        ({"mapping": {"243": 1000}}, "mapping: 243: 1000 is not among the classes"),
        ({"count": 21}, "package:foolbox/data: 20 images, 21 expected"),
        ({"present": "all"}, r"981 of 1,000 classes, the first is n01440764 \(label 0\)"),
        ({"present": ["n01440764", "cat"]}, "present: 'cat' is not among the classes"),
        ({"present": ["a"], "classes": None}, "needs `classes`"),
    ],
)  # fmt: skip
def test_mistakes_in_an_entry(change, message):
    with pytest.raises(ValueError, match=message) as error:
        listing_of({**PHOTOGRAPHS, **change})
    assert "\n" not in str(error.value)


def test_numbers_without_a_list_of_classes_may_promise_to_have_no_gap(tree):
    entry = {"folder": str(tree("0/x.png", "2/x.png")), "layout": "numbered_folders"}
    with pytest.raises(ValueError, match="no image of 1 of 3 classes, the first is label 1"):
        listing_of({**entry, "present": "all"})
    assert class_ids(entry) is None
