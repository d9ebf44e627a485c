"""Features from a cell to a score."""

import json

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.numpy import load_file

from robusteval import plugins
from robusteval.feature_scores._fit import fit
from robusteval.feature_scores._training import Training
from robusteval.images._image_set import subset
from robusteval.models._card import load_model
from robusteval.records import OK, read_records
from workflow_scripts import _fitted
from workflow_scripts._dar import decide
from workflow_scripts._fitted import Fitted, fitted
from workflow_scripts._scores import UNSCORED, with_score
from workflow_scripts.evaluate import evaluate_cell, stored_parts
from workflow_scripts.evaluate_training import evaluate_training
from workflow_scripts.score import score, scored
from workflow_scripts.tabulate_detection import rows as detection_rows
from workflow_scripts.tabulate_selective import rows as selective_rows

NAMES = plugins.names("feature_scores")
SETTINGS = {"knn": {"k": 2}}
EVERY = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def cell(tmp_path, image_folder):
    """Evaluate a model on nine images; return records and file of features."""

    def make(model, n=9):
        parts, settings = stored_parts([image_folder("whole", n, source="drawn")], None, n, 7)
        path, features = tmp_path / "records" / "m.parquet", tmp_path / "features" / "m.npy"
        evaluate_cell(model, parts, settings, 64, "cpu", path, features)
        return read_records(path), features

    return make


@pytest.fixture
def trained(tmp_path, image_folder):
    """Keep the features of 40 training images of a model; return the file."""

    def make(model, count=40, **card):
        path = tmp_path / "features" / model.name / "training.safetensors"
        images = image_folder("training", 60, source="drawn", **card)
        evaluate_training(model, images, count, 3, 64, "cpu", path)
        return path

    return make


def test_a_cell_keeps_a_row_of_features_a_record_and_the_same_records(cell, model_folder, tmp_path):
    model = model_folder("m")
    records, features = cell(model)
    rows = np.load(features)
    last = list(load_model(model)[0].parameters())[-2:]
    expected = rows @ last[0].numpy().T + last[1].numpy()
    # Products of 64 terms in another order.
    np.testing.assert_allclose(records.logits, expected, rtol=1e-4, atol=1e-5)
    with_them = (tmp_path / "records/m.parquet").read_bytes()
    whole = tmp_path / "images/whole"
    evaluate_cell(model, *stored_parts([whole], None, 9, 7), 64, "cpu", tmp_path / "bare.parquet")
    assert (tmp_path / "bare.parquet").read_bytes() == with_them


def test_a_failed_cell_has_no_features(cell, model_folder):
    records, features = cell(model_folder("m", spoil=True))
    assert records.status.startswith("the model returned NaN") and np.load(features).shape == (0, 0)


def test_training_images_are_those_the_model_was_trained_on(model_folder, trained, tmp_path):
    model = model_folder("m")
    card = json.loads((model / "card.json").read_text())
    recipe = {"count": 45, "seed": 11}
    (model / "card.json").write_text(json.dumps({**card, "training": recipe}))
    found = load_file(trained(model))
    pool = subset(100 + np.arange(60), 45, 11)
    rows = pool[subset(100 + pool, 40, 3)]
    assert found["labels"].tolist() == (rows % 3).tolist()
    assert found["features"].shape == (40, 64) and found["logits"].shape == (40, 3)
    Training(**found)  # the last layer leads from features to logits
    with pytest.raises(ValueError, match="46 images asked, 1 to 45 exist"):
        trained(model, 46)


@EVERY
def test_every_score_comes_out_as_the_library_has_it(
    name, cell, trained, model_folder, monkeypatch
):
    model = model_folder("m")
    records, features = cell(model)
    path = trained(model)
    monkeypatch.setattr(_fitted, "BLOCK", 4)
    found = scored(records, [name], str(features), fitted(str(path), [name], SETTINGS))
    statistics = fit(name, Training(**load_file(path)), **SETTINGS.get(name, {}))
    expected = plugins.load("feature_scores", name)(np.load(features), records.logits, statistics)
    assert found.status == OK and UNSCORED not in found.settings
    assert found.settings["fitted_on"] == {"n": 40, "settings": SETTINGS}
    # Blocks add up in another order than the whole; energies are of some units.
    np.testing.assert_allclose(found.frame[name], expected, rtol=1e-12, atol=1e-12)
    assert np.isfinite(found.frame["max_softmax"]).all()


def test_files_are_scored_by_their_names(cell, trained, model_folder, tmp_path):
    model = model_folder("m")
    _, features = cell(model)
    known = fitted(str(trained(model)), ["energy", "knn"], SETTINGS)
    assert known.has("knn") and not known.has("energy")
    output = str(tmp_path / "scores" / "m.parquet")
    records = str(tmp_path / "records/m.parquet")
    score([records], ["energy", "knn"], [output], [str(features)], known)
    assert {"energy", "knn", "max_softmax"} <= set(read_records(output).frame)


class Scaled(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, images):
        return 2 * self.network(images)


@pytest.fixture
def without_features(model_folder, monkeypatch):
    """A model whose logits no linear layer returns."""
    model = model_folder("squeezed")
    loaded = load_model(model)

    def scaled(*_):
        return Scaled(loaded[0]), loaded[1]

    for module in ("evaluate", "evaluate_training"):
        monkeypatch.setattr(f"workflow_scripts.{module}.load_model", scaled)
    return model


def test_a_model_without_features_lacks_the_score_alone_and_both_are_named(
    without_features, cell, trained
):
    path = trained(without_features)
    with safe_open(path, "np") as file:
        assert file.metadata()["reason"].startswith("this model gives none")
    records, features = cell(without_features)
    assert np.load(features).shape == (9, 0)
    found = scored(records, ["energy", "knn"], str(features), fitted(str(path), ["knn"], {}))
    (reason,) = found.settings[UNSCORED].values()
    assert reason.startswith("score knn needs features of squeezed: this model gives none")
    assert "\n" not in reason
    assert found.status == OK and np.isfinite(found.frame["energy"]).all()
    assert with_score(found, "energy") is found
    assert with_score(found, "knn").status == reason
    cells, kinds = {"clean": found, "novel": found}, {"clean": "clean", "novel": "novel"}
    about = [r["status"] for r in detection_rows("m", cells, kinds, ["energy", "knn"], {})]
    assert about == [OK, reason]
    (_, (energy, knn)), *_ = selective_rows("m", {"clean": found}, ["energy", "knn"])
    assert energy["status"] == OK and knn["status"] == reason and "aurc_pct_lower_better" not in knn
    options = {"score": "knn", "calibration": "clean", "mask": "all", "target_rate": 0.95}
    decided = decide(cells, kinds, {**options, "rejected_mistake": "right"}, 1)
    assert {one.status for one in decided.sets} == {reason}


def test_a_score_that_cannot_be_fitted_says_so(cell, trained, model_folder):
    model = model_folder("m")
    records, features = cell(model)
    known = fitted(str(trained(model)), ["knn", "vim"], {"knn": {"k": 50}})
    found = scored(records, ["knn", "vim"], str(features), known)
    assert found.settings[UNSCORED] == {
        "knn": "score knn of m: k 50: expected 1 to 40, the training images"
    }
    assert np.isfinite(found.frame["vim"]).all()


def test_another_number_of_features_than_of_records_is_an_error(cell, trained, model_folder):
    model = model_folder("m")
    records, features = cell(model)
    np.save(features, np.load(features)[:5])
    found = scored(records, ["knn"], str(features), fitted(str(trained(model)), ["knn"], SETTINGS))
    assert "5 rows, 9 records" in found.settings[UNSCORED]["knn"]


def test_training_images_that_cannot_be_measured(trained, model_folder):
    known = fitted(str(trained(model_folder("m", spoil=True))), ["knn"], {})
    assert known == Fitted(
        "m", {}, {"knn": "score knn needs features of m: the model returned NaN or infinite "
                         "logits for 40 of 40 images"}
    )  # fmt: skip
