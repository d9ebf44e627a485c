import json
import logging

import numpy as np
import pandas as pd
import pytest

from robusteval import plugins
from robusteval.files import read_json, write_json
from robusteval.images._image_set import read_image_set, subset
from workflow_scripts.check_model import check_model
from workflow_scripts.tabulate_checks import COLUMNS, tabulate_checks


@pytest.fixture
def run(tmp_path, image_folder):
    """Check a model on 24 of 40 images."""
    images = image_folder("whole", 40, source="drawn")

    def findings_of(model):
        path = tmp_path / "checks" / f"{model.name}.json"
        check_model(model, images, 24, 7, 64, "cpu", path)
        return path

    return findings_of


def test_a_finding_of_each_check_with_what_it_is_about(run, model_folder, caplog):
    model = model_folder("m")
    with caplog.at_level(logging.INFO):
        content = read_json(run(model))
    assert [f["check"] for f in content["findings"]] == plugins.names("checks")
    assert {f["verdict"] for f in content["findings"]} == {"ok"}
    # A folder of the set holds a folder a view.
    assert (content["images"], content["view"]) == ("images", "whole")
    assert (content["model"], content["n"]) == ("m", 24)
    assert content["weights"] == read_json(model / "card.json")["weights_sha256"]
    assert content["torch"] and content["seed"] == 7
    for finding in content["findings"]:
        assert f"{finding['check']}: ok: {finding['found']}" in caplog.messages


def test_the_images_are_those_of_the_clean_test(run, model_folder, image_folder):
    images = read_image_set(image_folder("whole", 40, source="drawn")).images
    mean = images[subset(np.arange(100, 140), 24, 7)].mean() / 255
    (finding,) = [
        f for f in read_json(run(model_folder("m")))["findings"] if f["check"] == "pixel_range"
    ]
    assert finding["found"].startswith("Pixels of 24 images")
    assert finding["found"].endswith(f"mean {mean:.3f}.")


def test_a_bad_model_is_written_down_and_logged_as_a_warning(run, model_folder, caplog):
    content = read_json(run(model_folder("bad", spoil=True)))
    verdicts = {f["check"]: f["verdict"] for f in content["findings"]}
    assert verdicts["pixel_range"] == "ok" and verdicts["logits"] == "wrong"
    text = "It could not be measured: the model returned NaN or infinite logits for 24 of 24 images"
    warned = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    assert f"logits: wrong: {text}." in warned


def test_the_same_bytes_again(run, model_folder):
    model = model_folder("m")
    assert run(model).read_bytes() == run(model).read_bytes()


def test_the_table_has_a_row_a_check_in_the_order_of_the_models(run, model_folder, tmp_path):
    files = [str(run(model_folder("b", 1))), str(run(model_folder("a", 2)))]
    tabulate_checks(files, str(tmp_path / "checks.csv"))
    table = pd.read_csv(tmp_path / "checks.csv")
    assert list(table) == COLUMNS
    names = plugins.names("checks")
    assert table["model"].tolist() == ["b"] * len(names) + ["a"] * len(names)
    assert table["check"].tolist() == names * 2
    assert table["n"].unique().tolist() == [24]


def test_a_row_is_the_finding(tmp_path):
    finding = {"check": "c", "verdict": "look", "found": 'A, "b".', "why": "Since."}
    write_json(tmp_path / "m.json", {"model": "m", "n": 3, "findings": [finding]})
    tabulate_checks([str(tmp_path / "m.json")], str(tmp_path / "t.csv"))
    (row,) = json.loads(pd.read_csv(tmp_path / "t.csv").to_json(orient="records"))
    assert row == {
        "model": "m",
        "check": "c",
        "verdict": "look",
        "found": 'A, "b".',
        "why_it_matters": "Since.",
        "n": 3,
    }
