"""What the catalogue passes to a file fits that file's signature."""

import inspect
from pathlib import Path

import pytest

from robusteval import plugins
from robusteval.corruptions._severities import constant
from workflow_scripts._catalogue import load_catalogue

CATALOGUE = load_catalogue(Path(__file__).parents[3] / "config")
ATTACKS = {k: e for k, e in CATALOGUE["tests"].items() if e["kind"] == "adversarial"}


@pytest.mark.parametrize("name", ATTACKS)
def test_attack_conditions_bind(name):
    signature = inspect.signature(plugins.load("attacks", ATTACKS[name]["attack"]))
    for values in ATTACKS[name]["conditions"].values():
        signature.bind(None, None, None, generators=[], batch_size=64, progress=None, **values)


@pytest.mark.parametrize("name", CATALOGUE["models"])
def test_model_arguments_bind(name):
    entry = CATALOGUE["models"][name]
    builder = inspect.signature(plugins.load("models", entry["builder"]))
    builder.bind(classes=10, shape=(28, 28, 1), **entry["arguments"])
    if "training" not in entry:
        return
    method = inspect.signature(plugins.load("training", entry["training"]["method"]))
    given = dict(entry["training"]["method_arguments"])
    given |= {"others": []} if "sources" in entry["training"] else {}
    method.bind(None, None, None, rng=None, done=0.0, **given)


def test_corruptions_have_severities_in_their_family():
    for entry in CATALOGUE["tests"].values():
        if entry["kind"] == "corrupt":
            for name in entry["sets"]:
                assert constant(name, 1, family=entry["family"]) is not None
