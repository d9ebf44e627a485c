from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from robusteval.files import write_json
from robusteval.records import Records, write_records
from workflow_scripts._catalogue import load_catalogue
from workflow_scripts._counted import counted
from workflow_scripts._estimate import estimate
from workflow_scripts._schema import StudyError
from workflow_scripts._study_costs import PARTS, UNCOUNTED, costs_of, disk_of

CONFIG = Path(__file__).parents[3] / "config"


@pytest.fixture(scope="module")
def tiny():
    study = yaml.safe_load((CONFIG / "tiny.yaml").read_text())
    return study | {"tests": ["clean", "mnist_c", "unrecognisable", "fgsm", "pgd_linf"]}


@pytest.fixture(scope="module")
def catalogue():
    return load_catalogue(CONFIG)


def test_passes_are_those_of_the_counts(tiny, catalogue):
    costs = costs_of(tiny, catalogue)
    assert list(costs) == tiny["models"]
    cost = costs["cnn_tiny"]
    assert cost["cells"].forwards == 1000 + 15 * 100 + 4 * 100
    # three budgets of FGSM, one of PGD with 20 steps
    assert cost["attacks"].forwards == 48 * (3 * 2 + 21)
    assert cost["attacks"].backwards == 48 * (3 * 1 + 20)
    assert cost["transfer"].forwards == 2 * 48 * 4 and cost["storage"].forwards == 2 * 48 * 4
    recipe = catalogue["models"]["cnn_tiny"]["training"]
    assert cost["training"].backwards == recipe["epochs"] * recipe["count"]


def test_a_method_that_looks_for_images_trains_longer(tiny, catalogue):
    costs = costs_of(tiny, catalogue)["cnn_tiny_adversarial"]
    recipe = catalogue["models"]["cnn_tiny_adversarial"]["training"]
    steps = recipe["method_arguments"].get("steps", 1)
    assert costs["training"].backwards == recipe["epochs"] * recipe["count"] * (1 + steps)


def test_a_search_costs_the_model_the_generator_and_the_oracle(tiny, catalogue):
    costs = costs_of(tiny | {"tests": ["clean", "searched_tiny"]}, catalogue)
    assert list(costs) == [*tiny["models"], "oracle_tiny", "fashion_vq_vae_tiny"]
    n, conditions, budget = 24, 3, 2  # one of the conditions is without an oracle
    stored, tries = n * (2 + conditions), n * conditions * (budget + 1)
    model = costs["cnn_tiny"]["searches"]
    assert model.forwards_most == stored + tries
    assert model.backwards_most == n * conditions * budget
    assert n * budget < model.backwards < model.backwards_most
    assert costs["cnn_tiny"]["transfer"].forwards == 2 * n * (1 + conditions)
    oracle = costs["oracle_tiny"]["oracles"]
    checked = 1000 + n  # clean images, and round trips of those to be searched
    assert oracle.forwards_most == 2 * (stored + tries * 2 / 3) + checked
    assert oracle.backwards_most == 0
    generator = costs["fashion_vq_vae_tiny"]["oracles"]
    assert generator.forwards_most == 2 * (n * conditions + tries) + 2 * n
    assert generator.backwards_most == 2 * n * conditions * budget
    assert costs["fashion_vq_vae_tiny"]["training"].backwards == 2 * 3 * 2000
    assert costs["oracle_tiny"]["training"].backwards > 0 == costs["oracle_tiny"]["cells"].forwards


def test_only_models_that_are_evaluated_are_searched(tiny, catalogue):
    study = tiny | {"tests": ["clean", "searched_tiny"], "searched_models": ["cnn_tiny"]}
    costs = costs_of(study, catalogue)
    assert costs["cnn_tiny_adversarial"]["searches"].forwards == 0
    assert costs["cnn_tiny_adversarial"]["transfer"].forwards == 24 * 4
    assert costs["cnn_tiny"]["searches"].forwards > 0


def test_coverage_and_features_take_a_pass_an_image(tiny, catalogue):
    costs = costs_of(tiny, catalogue)["cnn_tiny"]
    # the ranges, the clean set, corruptions, unknown images, four conditions of attacks
    assert costs["coverage"].forwards == 500 + 50 + 15 * 50 + 4 * 50 + 4 * 48
    assert costs["features"].forwards == 200
    streamed = costs_of(tiny | {"store_corrupted": False}, catalogue)["cnn_tiny"]
    assert costs["coverage"].forwards - streamed["coverage"].forwards == 15 * 50
    neither = {key: value for key, value in tiny.items() if key != "framework"}
    costs = costs_of(neither | {"scores": ["energy"]}, catalogue)["cnn_tiny"]
    assert costs["coverage"].forwards == costs["features"].forwards == 0


def test_what_a_defended_model_wraps_is_trained_too(tiny, catalogue):
    plain = {key: value for key, value in tiny.items() if key != "framework"}
    costs = costs_of(plain | {"models": ["cnn_jpeg"]}, catalogue)
    recipe = catalogue["models"]["cnn"]["training"]
    assert costs["cnn"]["training"].backwards == recipe["epochs"] * recipe["count"]
    assert costs["cnn"]["cells"].forwards == 0 == costs["cnn_jpeg"]["training"].forwards


def test_disk_grows_with_images_and_not_for_streamed_corruptions(tiny, catalogue):
    size = disk_of(tiny, catalogue)
    assert size > 70_000 * 784  # Fashion-MNIST itself
    streamed = disk_of(tiny | {"store_corrupted": False}, catalogue)
    assert size - streamed == 15 * 100 * 784


def test_hours_follow_the_rates():
    slow = estimate(CONFIG / "tiny.yaml", CONFIG, rates=["10"], jobs=False)
    fast = estimate(CONFIG / "tiny.yaml", CONFIG, rates=["1000"], jobs=False)
    hours = [float(text.split("GPU hours: ")[1].split()[0]) for text in (slow, fast)]
    assert hours[0] == pytest.approx(100 * hours[1], rel=0.01)  # printed to three digits
    one = estimate(CONFIG / "tiny.yaml", CONFIG, rates=["1000", "cnn_tiny=10"], jobs=False)
    assert hours[1] < float(one.split("GPU hours: ")[1].split()[0]) < hours[0]
    text = estimate(CONFIG / "tiny.yaml", CONFIG, jobs=False)
    assert "--rate 1000" in text
    assert "not counted by records later: readings, oracles, training" in text
    assert "left out: checks of models" in text


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        (["fast"], "--rate fast: images a second"),
        (["0"], "--rate 0: images a second"),
        (["resnet=10"], "unknown id 'resnet'"),
        (["cnn_tiny=10"], "--rate: none for cnn_tiny_adversarial"),
    ],
)
def test_a_rate_that_is_none_is_one_line(rates, message):
    with pytest.raises(StudyError, match=message):
        estimate(CONFIG / "tiny.yaml", CONFIG, rates=rates, jobs=False)


@pytest.mark.parametrize("path", sorted(CONFIG.glob("paper/*.yaml")), ids=lambda path: path.stem)
def test_studies_of_the_papers_have_an_estimate_without_their_images(path, monkeypatch):
    monkeypatch.chdir(CONFIG.parent)
    assert "all" in estimate(path, CONFIG, rates=["1000"], jobs=False)


def test_counters_of_a_study_are_read_back(tmp_path):
    index = pd.DataFrame({"image_id": [0, 1], "label": 1, "condition": "c", "severity": 0})
    nothing = np.empty((2, 0), np.float32)
    costs = Records(index.assign(forwards=[2, 3], backwards=[1, 1]), nothing)
    write_records(tmp_path / "adversarial/m/fgsm/records.parquet", costs)
    write_records(tmp_path / "records/m/clean.parquet", Records(index, nothing))
    twice = pd.concat([index.assign(forwards=[5, 6], backwards=[4, 4], norm=n) for n in (1, 2)])
    write_records(
        tmp_path / "probes/m/clever.parquet",
        Records(twice.reset_index(drop=True), np.empty((4, 0), np.float32)),
    )
    tries = index.assign(tries=[0, 3])
    write_records(tmp_path / "searched/m/s/records.parquet", Records(tries, nothing))
    write_records(tmp_path / "coverage/m.parquet", Records(index.assign(n=[4, 5]), nothing))
    write_json(tmp_path / "neurons/m/card.json", {"n": 7})
    found = counted(tmp_path)
    assert {*found, *UNCOUNTED} == {*PARTS} and not {*found} & {*UNCOUNTED}
    assert found["searches"] == (5, 2) and found["coverage"] == (16, 0)
    assert found["attacks"] == (5, 2) and found["cells"] == (2, 0) and found["probes"] == (11, 8)
