"""Mistakes in searches are found before any job starts."""

import copy
from pathlib import Path

import pytest

from workflow_scripts._schema import StudyError, load_yaml
from workflow_scripts._searched_study import generators_of, oracle_models, searched_sets
from workflow_scripts._study import check_study, image_sets_of

CONFIG = Path(__file__).parents[3] / "config"
STEP = {"step": {"budget": 2, "step_size": 0.1}}


def checked(tests=None, oracles=None, generators=None, **changes):
    study = copy.deepcopy(load_yaml(CONFIG / "tiny.yaml")) | changes
    own = {"tests": tests or {}, "oracles": oracles or {}, "generators": generators or {}}
    study |= {"catalogue": own, "tests": [*study["tests"], *own["tests"]]}
    return study, check_study(study, CONFIG, ["config/tiny.yaml"])


def searched(**entry):
    whole = {"kind": "searched", "generator": "fashion_vq_vae_tiny", "oracle": "fashion_tiny"}
    return {"mine": {**whole, "conditions": STEP, **entry}}


MISTAKES = {
    "generator": ({"tests": searched(generator="none")}, "mine.generator: unknown id 'none'"),
    "oracle": ({"tests": searched(oracle="none")}, "mine.oracle: unknown id 'none'"),
    "judges": ({"tests": searched(judges="fashion_tiny")}, "of the oracle and of the judges"),
    "parameter": (
        {"tests": searched(conditions={"a": {"step_size": 0.1, "eps": 1}})},
        "mine.a: unknown parameter 'eps'; allowed are budget, step_size",
    ),
    "no step": (
        {"tests": searched(conditions={"a": {"budget": 1}})}, "mine.a: key 'step_size' is missing",
    ),
    "step": (
        {"tests": searched(conditions={"a": {"step_size": 0.1, "step": "leap"}})},
        "mine.a.step: unknown id 'leap'; allowed are adam",
    ),
    "settings": (
        {"tests": searched(conditions={"a": {"step_size": 0.1, "settings": {"beta": 1}}})},
        "mine.a.settings: unknown parameter 'beta'",
    ),
    "sparse of a later one": (
        {"tests": searched(conditions={
            "a": {"step_size": 0.1, "sparse": {"of": "b"}}, "b": STEP["step"],
        })},
        "mine.a.sparse.of: unknown id 'b'",
    ),
    "adapter": ({"tests": searched(adapter="cubic")}, "adapter: 'cubic': one of bilinear expected"),
    "count": ({"counts.searched": 2000}, "counts: searched: 2000 images asked; at most the 1000"),
    "evaluated": (
        {"searched_models": ["cnn"]}, "searched_models: unknown id 'cnn'; allowed are cnn_tiny",
    ),
    "itself": (
        {"tests": searched(oracle="own"), "oracles": {"own": {"members": [{"model": "cnn_tiny"}]}}},
        "searched_models: cnn_tiny is a member of the oracle own of mine: it would judge itself",
    ),
    "itself among judges": (
        {"tests": searched(judges="own"), "oracles": {"own": {"members": [{"model": "cnn_tiny"}]}}},
        "searched_models: cnn_tiny is a member of the judges own of mine: it would judge itself",
    ),
    "member": (
        {"oracles": {"own": {"members": [{"model": "none"}]}}}, "own.members: unknown id 'none'",
    ),
    "no weights": (
        {"oracles": {"own": {"members": [{"open_clip": "ViT-B-32"}]}}}, "own: members.0",
    ),
    "untrained": (
        {"generators": {"own": {"builder": "vq_vae", "arguments": {}}}},
        "own: exactly one of these expected",
    ),
    "too many": (
        {"generators": {"own": {"builder": "vq_vae", "arguments": {}, "training": {
            "images": "fashion_mnist_train", "count": 60001, "seed": 1, "epochs": 1,
            "batch_size": 8, "learning_rate": 0.1,
        }}}},
        "own.count: 60001 images asked, 60000 exist",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line(mistake):
    changes, message = MISTAKES[mistake]
    counts = load_yaml(CONFIG / "tiny.yaml")["counts"]
    own = {key.partition(".")[2]: changes[key] for key in changes if "." in key}
    given = {key: value for key, value in changes.items() if "." not in key}
    with pytest.raises(StudyError) as error:
        checked(counts=counts | own, **given)
    assert message in str(error.value) and "\n" not in str(error.value)


def test_oracles_bring_their_models_and_images():
    study, catalogue = checked()
    assert oracle_models(study, catalogue) == ["oracle_tiny"]
    assert "fashion_mnist_train" in image_sets_of(study, catalogue)


def test_generators_and_their_images_are_among_what_a_study_needs():
    study, catalogue = checked(searched(images="fashion_mnist_train"))
    assert generators_of(study, catalogue) == ["fashion_vq_vae_tiny"]
    trained_on = catalogue["generators"]["fashion_vq_vae_tiny"]["training"]["images"]
    sets = searched_sets(study, catalogue)
    assert set(sets) == {"fashion_mnist_train", trained_on} and len(set(sets)) == len(sets)
    assert searched_sets(study | {"tests": ["clean"]}, catalogue) == []
