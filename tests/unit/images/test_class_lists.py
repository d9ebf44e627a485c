"""The lists of ImageNet's classes, held to timm's own readers of them."""

import subprocess
import sys
from importlib.resources import files

import pytest
from timm.data import ImageNetInfo

from robusteval.images._class_lists import NAMES, class_list, labels_in_imagenet, words


def test_the_thousand_classes_are_in_the_usual_order():
    wnids = class_list("imagenet_1k")
    assert list(wnids) == ImageNetInfo("imagenet_1k").label_names()
    assert wnids[0] == "n01440764" and wnids[999] == "n15075141"
    assert words([wnids[0], wnids[999]]) == (
        "tench, Tinca tinca",
        "toilet tissue, toilet paper, bathroom tissue",
    )


@pytest.mark.parametrize("name", ["imagenet_a", "imagenet_r"])
def test_the_subsets_point_into_the_thousand(name):
    indices = files("timm.data") / "_info" / f"{name}_indices.txt"
    assert list(labels_in_imagenet(name)) == [int(line) for line in indices.read_text().split()]
    assert len(set(class_list(name))) == 200


def test_tiny_imagenet_is_200_of_the_thousand_in_sorted_order():
    wnids = class_list("tiny_imagenet")
    assert len(set(wnids)) == 200 and list(wnids) == sorted(wnids)
    assert len(set(labels_in_imagenet("tiny_imagenet"))) == 200
    assert words(wnids[:1]) == ("goldfish, Carassius auratus",)


def test_unknown_names():
    with pytest.raises(
        ValueError, match=f"list of classes 'imagenet'; there are {', '.join(NAMES)}"
    ):
        class_list("imagenet")
    with pytest.raises(ValueError, match="unknown wnid 'tench'"):
        words(["tench"])


def test_timm_is_not_imported():
    code = (
        "import sys; from robusteval.images._class_lists import class_list, words;"
        "words(class_list('imagenet_a')); sys.exit('timm' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
