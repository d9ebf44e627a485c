"""Novel sets of the catalogue beside each known set, by the names of classes."""

from pathlib import Path

import pytest

from workflow_scripts._catalogue import load_catalogue
from workflow_scripts._novel_classes import check_novel_classes
from workflow_scripts._schema import StudyError, load_yaml

CONFIG = Path(__file__).parents[3] / "config"
STUDIES = sorted(p for p in CONFIG.glob("*.yaml") if p.stem != "schema")
STUDIES += sorted(CONFIG.glob("paper/*.yaml"))


@pytest.fixture(scope="module")
def catalogue():
    return load_catalogue(CONFIG)


@pytest.mark.parametrize("path", STUDIES, ids=lambda p: p.stem)
def test_no_study_takes_known_classes_for_novel(path, catalogue):
    check_novel_classes(load_yaml(path), catalogue, path.name)


@pytest.mark.parametrize(
    ("images", "test", "message"),
    [
        (
            "mnist_test",
            "novel",
            "digits shows '0', which is '0' of mnist_test and .*10 such classes",
        ),
        ("fashion_mnist_test", "mnist_novel", "fashion_mnist_as_novel shows 'T-shirt/top'"),
        ("cifar100_test", "cifar10_novel", "cifar100_as_novel shows 'apple'"),
        ("imagenet_validation", "cifar10_novel", "shows 'beaver', which is 'n02363005'"),
        ("tiny_imagenet_validation", "mnist_novel", r"'n04133789' of tiny.* known; leave the set"),
    ],
)
def test_a_class_that_is_known_is_one_line(catalogue, images, test, message):
    study = {"images": images, "tests": ["clean", test]}
    with pytest.raises(StudyError, match=message) as error:
        check_novel_classes(study, catalogue, "config/mine.yaml")
    assert str(error.value).startswith("config/mine.yaml: tests: ") and "\n" not in str(error.value)


def test_a_list_of_classes_that_nobody_knows(catalogue):
    entry = {"layout": "unlabelled", "shows": "imagenet_z"}
    own = catalogue | {"images": catalogue["images"] | {"imagenet_o": entry}}
    study = {"images": "imagenet_validation", "tests": ["imagenet_novel"]}
    with pytest.raises(StudyError, match=r"imagenet_o\.shows: unknown id 'imagenet_z'; allowed"):
        check_novel_classes(study, own, "config/mine.yaml")
