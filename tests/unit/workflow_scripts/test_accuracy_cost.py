"""The study of 18 models: what its entries promise about the models and the grids of the paper."""

from collections import Counter
from pathlib import Path

import pytest

from robusteval.models._published import differences
from workflow_scripts._schema import load_yaml
from workflow_scripts._study import check_study

CONFIG = Path(__file__).parents[3] / "config"
PATH = CONFIG / "paper" / "accuracy_cost.yaml"


@pytest.fixture(scope="module")
def study():
    return load_yaml(PATH)


@pytest.fixture(scope="module")
def catalogue(study):
    return check_study(study, CONFIG, [str(PATH)])


def test_each_of_the_18_models_says_for_which_it_stands_and_how(study, catalogue):
    models = [catalogue["models"][name] for name in study["models"]]
    assert len({entry["stands_for"] for entry in models}) == 18
    assert Counter(entry["relation"] for entry in models) == {
        "near": 10, "exact": 4, "substitute": 4,
    }  # fmt: skip
    assert len({entry["family"] for entry in models}) == 7
    for entry in models:
        if entry["relation"] == "exact":  # ports of the very weights
            assert entry["arguments"]["name"].endswith(".tf_in1k")


def test_the_models_differ_from_their_libraries_in_the_view_alone(study, catalogue):
    from robusteval.models.timm import published as timm
    from robusteval.models.torchvision import published as torchvision

    for name in study["models"]:
        entry = catalogue["models"][name]
        view = catalogue["views"][entry["view"]]
        card = {**entry, "view": view, "input_size": [view["size"], view["size"], 3]}
        library = {"timm": timm, "torchvision": torchvision}[entry["builder"]]
        found = differences(card, library(**entry["arguments"]))
        assert set(found) <= set(entry["differs"]), name
        assert {"mean", "std"}.isdisjoint(found), name


def test_the_grids_are_those_of_the_paper(study, catalogue):
    tests = [catalogue["tests"][name] for name in study["tests"]]
    goals = Counter()
    grid = set()
    for test in tests:
        if test["kind"] == "adversarial":
            for values in test["conditions"].values():
                goals[values.get("target"), values.get("loss")] += 1
                strength = values.get("eps", values.get("kappa", 0))
                steps = values["steps"] if test["attack"] == "ifgsm" else None
                grid.add((test["attack"], strength, steps))
    expected = {("fgsm", eps, None) for eps in (0.1, 0.2, 0.3)}
    expected |= {("ifgsm", eps, steps) for eps in (0.1, 0.2, 0.3) for steps in (10, 30, 50)}
    expected |= {(attack, kappa, None) for attack in ("cw_l2", "ead") for kappa in (0, 20, 40)}
    assert grid == expected | {("ifgsm_search", 0, None)}
    targets = ("random", "least_likely", "runner_up")
    assert goals == {(None, "logit"): 3} | {(target, None): 19 for target in (None, *targets)}
