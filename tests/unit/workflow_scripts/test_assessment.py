"""The studies of Spratling 2025: five kinds of data, and models that differ in what they should."""

from pathlib import Path

import numpy as np
import pytest

from robusteval.images._view import view_of, viewed
from workflow_scripts._catalogue import load_catalogue
from workflow_scripts._schema import load_yaml

CONFIG = Path(__file__).parents[3] / "config"
STUDIES = sorted(CONFIG.glob("paper/assessment_*.yaml"))
OF_ANOTHER_STUDY = {"alp", "ensemble"}  # methods that config/defences.yaml compares
TRAINED = [path for path in STUDIES if path.stem != "assessment_imagenet"]
CATALOGUE = load_catalogue(CONFIG)


@pytest.mark.parametrize("path", STUDIES, ids=lambda p: p.stem)
def test_each_study_has_the_five_kinds_and_seven_unknown_sets(path):
    study = load_yaml(path)
    assert study["study"] == path.stem
    tests = [CATALOGUE["tests"][test] for test in study["tests"]]
    kinds = {"clean", "corrupt", "adversarial", "novel", "unrecognisable"}
    assert {test["kind"] for test in tests} == kinds
    unknown = [len(t["sets"]) for t in tests if t["kind"] in ("novel", "unrecognisable")]
    assert sorted(unknown) == [3, 4]
    assert {t["attack"] for t in tests if t["kind"] == "adversarial"} == {"autoattack", "confident"}


@pytest.mark.parametrize("path", TRAINED, ids=lambda p: p.stem)
def test_models_differ_in_method_and_seed_alone(path):
    study = load_yaml(path)
    recipes = [CATALOGUE["models"][model] for model in study["models"]]
    seen = [(r["training"]["method"], r["training"]["seed"]) for r in recipes]
    files = (CONFIG.parent / "robusteval" / "training").glob("[a-z]*.py")
    methods = sorted({path.stem for path in files} - OF_ANOTHER_STUDY)
    assert sorted(seen) == [(method, seed) for method in methods for seed in (1, 2, 3)]
    free = ("method", "method_arguments", "seed")
    for recipe in recipes:
        fixed = {k: v for k, v in recipe["training"].items() if k not in free}
        first = recipes[0]
        assert fixed == {k: v for k, v in first["training"].items() if k not in free}
        assert all(recipe.get(k) == first.get(k) for k in ("builder", "arguments", "view"))
    for model, (method, seed) in zip(study["models"], seen, strict=True):
        assert model.endswith(f"_{method}_{seed}")


@pytest.mark.parametrize("path", TRAINED, ids=lambda p: p.stem)
def test_attacked_training_has_the_budget_of_the_attack(path):
    study = load_yaml(path)
    attacks = [CATALOGUE["tests"][test] for test in study["tests"] if test.startswith("autoattack")]
    budgets = [v["eps"] for a in attacks for v in a["conditions"].values() if "norm" not in v]
    trained = [CATALOGUE["models"][m]["training"]["method_arguments"] for m in study["models"]]
    assert {arguments["eps"] for arguments in trained if "eps" in arguments} == set(budgets)


@pytest.mark.parametrize("side", [32, 64])
def test_a_view_of_small_images_leaves_those_of_its_size_as_they_are(side):
    image = np.random.default_rng(side).integers(0, 256, (side, side, 3), np.uint8)
    assert np.array_equal(viewed(image, view_of(CATALOGUE["views"][f"rgb_{side}"])), image)
