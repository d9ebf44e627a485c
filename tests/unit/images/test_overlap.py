"""What an unknown set shares with the known one."""

import pytest

from robusteval.images._class_lists import class_list
from robusteval.images._overlap import shared_classes, shared_image

SPECIES = "00042_Animalia_Arthropoda_Insecta_Lepidoptera_Nymphalidae_Danaus_plexippus"


@pytest.mark.parametrize(
    ("known", "shown", "expected"),
    [
        (["cat", "Pickup_Truck"], ["dog", "pickup truck"], [("Pickup_Truck", "pickup truck")]),
        (["n02279972"], ["n02279972", "n01440764"], [("n02279972", "n02279972")]),
        (["n02279972"], ["monarch butterfly"], [("n02279972", "monarch butterfly")]),
        (["lion"], ["n02129165"], [("lion", "n02129165")]),
        (["n02279972"], [SPECIES], [("n02279972", SPECIES)]),
        # both are called crane, and not the same
        (["n02012849"], ["n03126707"], []),
        (["cat"], ["n02124075"], []),  # an Egyptian cat
        (["n02279972"], [SPECIES.replace("plexippus", "gilippus")], []),
        ([], ["cat"], []),
    ],
)
def test_classes_are_compared_by_their_names(known, shown, expected):
    assert shared_classes(known, shown) == expected


def test_of_two_known_classes_of_one_name_the_first_is_named():
    assert shared_classes(class_list("imagenet_1k"), ["crane"]) == [("n02012849", "crane")]


def test_images_are_compared_by_content():
    known = {"a.png": "1", "b.png": "2", "broken.png": ""}
    assert shared_image(known, {"x": "3", "y": "2"}) == ("b.png", "y")
    assert shared_image(known, {"x": "3", "broken": ""}) is None
