"""What a study may say of the evaluation framework, and which files it depends on."""

from pathlib import Path

import pytest

from workflow_scripts._catalogue import load_catalogue
from workflow_scripts._framework import check_framework, profile_of, twins_of
from workflow_scripts._noises import check_noises
from workflow_scripts._parameters import fits
from workflow_scripts._probe_code import probe_code
from workflow_scripts._schema import StudyError, load_yaml

CONFIG = Path(__file__).parents[3] / "config"


@pytest.fixture(scope="module")
def catalogue():
    return load_catalogue(CONFIG)


@pytest.fixture
def study():
    return load_yaml(CONFIG / "tiny.yaml")


def error(check, *arguments):
    with pytest.raises(StudyError) as caught:
        check(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def noise_error(noises, probe="noise_insensitivity"):
    values = {"noises": noises} if noises else {}
    library = CONFIG.parent / "robusteval"
    return error(check_noises, "mine.yaml", "c", probe, values, library, fits)


def test_a_model_is_profiled_on_what_it_was_trained_on(study, catalogue):
    assert profile_of("cnn_tiny", study, catalogue) == ("fashion_mnist_train", 500, 1)
    study["framework"] = {"images": 5}
    assert profile_of("cnn_tiny", study, catalogue) == ("fashion_mnist_train", 2000, 1)
    study["framework"] |= {"profiled_on": "fashion_mnist_test"}
    assert profile_of("cnn_tiny", study, catalogue) == ("fashion_mnist_test", None, 1)


def test_twins_are_of_models_that_the_study_has(study, catalogue):
    assert twins_of(study, catalogue) == {"cnn_tiny_adversarial": "cnn_tiny"}
    assert twins_of({**study, "models": ["cnn_tiny_adversarial"]}, catalogue) == {}


def test_layers_and_types_exclude_each_other(study, catalogue):
    study["framework"] |= {"layers": ["network.0"], "types": ["Linear"]}
    message = error(check_framework, study, catalogue, "mine.yaml")
    assert message == "mine.yaml: framework: layers or types expected, not both"


def with_model(study, catalogue, **entry):
    """Return a study and a catalogue with one more model, which comes from elsewhere."""
    mine = {"classes": catalogue["images"]["fashion_mnist_test"]["classes"], **entry}
    models = catalogue["models"] | {"mine": mine}
    return {**study, "models": [*study["models"], "mine"]}, {**catalogue, "models": models}


def test_a_twin_must_be_there_and_know_the_same_classes(study, catalogue):
    of = with_model(study, catalogue, twin="nobody")
    assert "mine.twin: unknown id 'nobody'" in error(check_framework, *of, "mine.yaml")
    of = with_model(study, catalogue, twin="efficientnet_lite0")
    message = error(check_framework, *of, "mine.yaml")
    assert "mine: its classes are not those of its twin efficientnet_lite0" in message


def test_ranges_of_models_from_elsewhere_need_images(study, catalogue):
    message = error(check_framework, *with_model(study, catalogue), "mine.yaml")
    assert "framework: profiled_on is missing; mine was not trained here" in message


@pytest.mark.parametrize(
    ("noises", "message"),
    [
        ({}, "mine.yaml: c: noises is missing; noise_insensitivity needs at least one"),
        ({"a": {"kind": "gaussian"}}, "c.noises.a: sd is missing; a gaussian needs it"),
        ({"a": {"kind": "uniform", "eps": 1, "sd": 1}}, "unknown key 'sd'; allowed are eps"),
        ({"a": {"kind": "attack", "name": "no", "eps": 1}}, "a.name: unknown id 'no'; allowed are"),
        ({"a": {"kind": "attack", "name": "fgsm"}}, "parameter 'eps' is missing"),
        (
            {"a": {"kind": "corruption", "name": "x", "severity": 1, "family": "mnist_c"}},
            "a.name: unknown id 'x'; allowed are shot_noise",
        ),
    ],
)
def test_a_mistaken_noise_is_one_line(noises, message):
    assert message in noise_error(noises)


def test_a_probe_depends_on_the_files_of_its_noises_and_neurons(catalogue):
    files = probe_code(catalogue["tests"]["neuron_sensitivity_short"])
    for name in ("attacks/fgsm", "attacks/mi_fgsm", "corruptions/stripe", "corruptions/brightness"):
        assert f"robusteval/{name}.py" in files
    assert {"robusteval/neurons/_activations.py", "robusteval/metrics/neuron_sensitivity.py"} <= {
        *files
    }
    assert "robusteval/corruptions/fog.py" not in files
    assert "robusteval/attacks/fgsm.py" not in probe_code(catalogue["tests"]["ebd"])
