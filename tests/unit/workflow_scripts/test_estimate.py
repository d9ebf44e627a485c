from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from robusteval.records import Records, write_records
from workflow_scripts._catalogue import load_catalogue
from workflow_scripts._counted import counted
from workflow_scripts._estimate import estimate
from workflow_scripts._schema import StudyError
from workflow_scripts._study_costs import costs_of, disk_of

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
    assert "--rate 1000" in estimate(CONFIG / "tiny.yaml", CONFIG, jobs=False)


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
    found = counted(tmp_path)
    assert found["attacks"] == (5, 2) and found["cells"] == (2, 0) and found["probes"] == (11, 8)
