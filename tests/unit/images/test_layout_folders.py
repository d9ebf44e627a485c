"""Layouts that read the label from a path: folders by class, folders by number, file names."""

import os

import pytest

from robusteval.images._labels import Classes
from robusteval.images.layouts.labelled_names import labelled_names
from robusteval.images.layouts.numbered_folders import numbered_folders
from robusteval.images.layouts.unlabelled import unlabelled
from robusteval.images.layouts.wnid_folders import wnid_folders

PETS = Classes(("dog", "cat", "fish"))


def test_a_label_is_the_place_in_the_list_of_classes_not_among_the_folders(tree, shades):
    folder = tree("cat/10.png", "cat/9.PNG", "fish/1.png")
    listing = wnid_folders(folder, PETS)
    assert listing.names == ["cat/9.PNG", "cat/10.png", "fish/1.png"]
    assert listing.labels.tolist() == [1, 1, 2]
    assert shades(listing) == [1, 0, 2]


def test_folders_below_a_class_and_links_count_and_hidden_files_do_not(tree, shades):
    folder = tree("cat/a/1.png", "cat/._2.png", "cat/.cache/3.png", "elsewhere/4.png", "cat/t.txt")
    (folder / "cat" / "linked").symlink_to(folder / "elsewhere")
    (folder / "cat" / "again").symlink_to(folder / "cat")  # leads back into itself
    listing = wnid_folders(folder, Classes(("cat",), others="leave_out"))
    assert listing.names == ["cat/a/1.png", "cat/linked/4.png"]
    assert shades(listing) == [0, 3]


def test_the_order_does_not_depend_on_the_file_system(tree, monkeypatch):
    folder = tree("cat/2.png", "dog/10.png", "dog/9.png", "cat/1.png", "cat/01.png")
    expected = wnid_folders(folder, PETS).names
    assert expected == ["cat/01.png", "cat/1.png", "cat/2.png", "dog/9.png", "dog/10.png"]
    walk = os.walk

    def backwards(*args, **options):
        for place, folders, files in walk(*args, **options):
            folders.sort(reverse=True)
            yield place, folders, sorted(files, reverse=True)

    monkeypatch.setattr(os, "walk", backwards)
    assert wnid_folders(folder, PETS).names == expected


def test_folders_of_other_classes_are_an_error_or_unknown_or_left_out(tree):
    folder = tree("cat/1.png", "axolotl/2.png", "axolotl/3.png", "newt/4.png")
    with pytest.raises(ValueError, match=r"3 images of .* first is axolotl/2\.png of 'axolotl'"):
        wnid_folders(folder, PETS)
    unknown = wnid_folders(folder, Classes(PETS.ids, others="unknown"))
    assert unknown.labels.tolist() == [-1, -1, 1, -1]
    left = wnid_folders(folder, Classes(PETS.ids, others="leave_out"))
    assert left.names == ["cat/1.png"] and left.labels.tolist() == [1]


def test_a_mapping_gives_folders_the_classes_of_the_model(tree):
    folder = tree("tabby/1.png", "tiger cat/2.png", "3/4.png", "goldfish/5.png")
    mapping = {"tabby": "cat", "tiger cat": 1, 3: "dog", "goldfish": -1}
    listing = wnid_folders(folder, Classes(PETS.ids, mapping))
    labels = dict(zip(listing.names, listing.labels.tolist(), strict=True))
    assert labels == {"3/4.png": 0, "goldfish/5.png": -1, "tabby/1.png": 1, "tiger cat/2.png": 1}


def test_folders_by_class_need_the_order_of_the_classes(tree):
    with pytest.raises(ValueError, match=r"order of the classes .* `classes: imagenet_1k`"):
        wnid_folders(tree("cat/1.png"), Classes())


def test_numbered_folders_are_not_taken_for_class_ids(tree):
    with pytest.raises(ValueError, match=r"of '7'.*numbered_folders"):
        wnid_folders(tree("7/1.png"), PETS)


@pytest.mark.parametrize("layout", [wnid_folders, numbered_folders])
def test_an_image_outside_of_the_classes_is_named(tree, layout):
    with pytest.raises(ValueError, match=r"outside of a .* folder: stray\.png"):
        layout(tree("0/1.png", "stray.png"), Classes(("0",)))


@pytest.mark.parametrize("layout", [wnid_folders, numbered_folders])
def test_a_folder_with_no_images_or_no_folder(tmp_path, layout):
    (tmp_path / "0").mkdir()
    (tmp_path / "0" / "readme.txt").write_text("none")
    with pytest.raises(ValueError, match="a folder with no images"):
        layout(tmp_path, PETS)
    with pytest.raises(ValueError, match=r"readme\.txt: not a folder"):
        layout(tmp_path / "0" / "readme.txt", PETS)


def test_numbers_are_sorted_and_labelled_as_numbers(tree, shades):
    folder = tree(*(f"{i}/x.png" for i in (10, 2, 0, 1, 9, 11, 100)))
    listing = numbered_folders(folder, Classes())
    assert listing.labels.tolist() == [0, 1, 2, 9, 10, 11, 100]
    assert shades(listing) == [2, 3, 1, 4, 0, 5, 6]


def test_numbers_with_zeros_before_are_numbers_too(tree):
    assert numbered_folders(tree("007/x.png"), Classes()).labels.tolist() == [7]
    with pytest.raises(ValueError, match="007 and 7 are one number"):
        numbered_folders(tree("7/y.png"), Classes())


def test_numbered_folders_must_be_within_the_classes(tree):
    with pytest.raises(ValueError, match=r"labels out of range: 7/x\.png has 7; 0 to 2 expected"):
        numbered_folders(tree("0/x.png", "7/x.png"), PETS)


def test_a_folder_that_is_no_number_is_named(tree):
    with pytest.raises(ValueError, match="cat is not a number"):
        numbered_folders(tree("0/x.png", "cat/x.png"), Classes())


PATTERN = r"photo_(?P<id>\d+)_(?P<label>\w+)\.png"


def test_the_label_in_a_file_name(tree, shades):
    folder = tree("photo_10_2.png", "photo_9_0.png", "other_1_1.png", "photo_11_cat.png")
    listing = labelled_names(folder, PETS, pattern=PATTERN)
    assert listing.names == ["photo_9_0.png", "photo_10_2.png", "photo_11_cat.png"]
    assert listing.labels.tolist() == [0, 2, 1]
    assert shades(listing) == [1, 0, 3]


@pytest.mark.parametrize(
    ("files", "pattern", "message"),
    [
        (["photo_1_0.png", "photo_1_2.png"], PATTERN, r"the id 1: photo_1_0\.png and photo_1_2"),
        (["photo_1_3.png"], PATTERN, r"photo_1_3\.png has 3; 0 to 2 expected"),
        (["photo_1_cow.png"], PATTERN, r"photo_1_cow\.png of 'cow'"),
        (["a.png"], PATTERN, r"none of 1 images, such as a\.png"),
        (["a.png"], r"a\.png", r"a group \(\?P<label>…\) expected"),
        (["a.png"], r"(?P<label>", "not a regular expression"),
    ],
)
def test_file_names_that_do_not_fit(tree, files, pattern, message):
    with pytest.raises(ValueError, match=message):
        labelled_names(tree(*files), PETS, pattern=pattern)


def test_unlabelled_images_without_those_of_known_classes(tree, shades):
    folder = tree(
        "00001_Animalia_Chordata_Actinopterygii_Cypriniformes_Cyprinidae_Tinca_tinca/1.png",
        "00002_Plantae_Tracheophyta_Magnoliopsida_Rosales_Rosaceae_Rosa_canina/2.png",
        "3.png",
    )
    assert unlabelled(folder, Classes()).labels.tolist() == [-1, -1, -1]
    listing = unlabelled(folder, Classes(), without="imagenet_1k")
    assert shades(listing) == [1, 2]
    with pytest.raises(ValueError, match="unlabelled images belong to no class"):
        unlabelled(folder, PETS)
