import numpy as np
import pandas as pd
import pytest
import torch

from robusteval.batches import as_tensor
from robusteval.files import read_json
from robusteval.images._image_set import read_image_set, subset
from robusteval.models._card import load_model
from robusteval.records import read_records
from workflow_scripts.evaluate import evaluate_cell, stored_parts


@pytest.fixture
def run(tmp_path):
    """Evaluate a model over image folders, 4 images of each that stands for itself."""

    def records_of(model, folders, names=None, own=None):
        parts, settings = stored_parts(folders, names, 4, 7, own)
        evaluate_cell(model, parts, settings, 64, "cpu", tmp_path / "records.parquet")
        return read_records(tmp_path / "records.parquet")

    return records_of


def test_a_row_an_image_in_the_order_of_the_sets(run, model_folder, image_folder):
    whole = image_folder("whole", 9, source="drawn")
    derived = image_folder("derived", 6, "fog", 3, seed=7)
    found = run(model_folder("m"), [derived, whole])
    chosen = subset(np.arange(100, 109), 4, 7)
    expected = pd.concat(
        [read_image_set(derived).index, read_image_set(whole).index.iloc[chosen]], ignore_index=True
    )
    pd.testing.assert_frame_equal(found.frame.drop(columns="prediction"), expected)
    assert found.status == "ok"


def test_the_logits_are_those_of_the_row(run, model_folder, image_folder):
    whole = image_folder("whole", 9, source="drawn")
    found = run(model_folder("m"), [whole])
    model, _ = load_model(model_folder("m"))
    images = read_image_set(whole).images[found.frame["image_id"].to_numpy() - 100]
    with torch.inference_mode():
        expected = model(as_tensor(images)).numpy()
    # Another batch size rounds otherwise, by 4e-6 at most where that was measured.
    np.testing.assert_allclose(found.logits, expected, atol=1e-5)
    assert found.frame["prediction"].tolist() == expected.argmax(1).tolist()


def test_the_settings_are_kept(run, model_folder, image_folder):
    model = model_folder("m")
    found = run(model, [image_folder("whole", 9, source="drawn")])
    kept = {key: found.settings[key] for key in ("n", "seed", "weights")}
    weights = read_json(model / "card.json")["weights_sha256"]
    assert kept == {"n": 4, "seed": 7, "weights": weights}


def test_a_model_that_says_nan_is_a_failed_cell(run, model_folder, image_folder):
    model = model_folder("m", spoil=True)
    found = run(model, [image_folder("whole", 9, source="drawn")])
    assert found.status == "the model returned NaN or infinite logits for 4 of 4 images"
    assert len(found.frame) == len(found.logits) == 0
    assert found.settings["n"] == 4


def test_sets_that_a_test_names_are_conditions_and_may_show_some_classes_only(
    run, model_folder, image_folder
):
    folders = [image_folder("one", 5), image_folder("two", 6, subset=[0, 2])]
    found = run(model_folder("m"), folders, ["v2", "imagenet_a"])
    assert found.frame["condition"].tolist() == 4 * ["v2"] + 4 * ["imagenet_a"]
    assert found.settings["subsets"] == {"imagenet_a": [0, 2]}


def test_the_conditions_of_a_derived_set_are_kept(run, model_folder, image_folder):
    derived = image_folder("fog", 6, "fog", 3, seed=7)
    assert set(run(model_folder("m"), [derived], ["fog"]).frame["condition"]) == {"fog"}


def test_a_set_may_have_a_number_of_its_own(run, model_folder, image_folder):
    folders = [image_folder("one", 5), image_folder("two", 6)]
    found = run(model_folder("m"), folders, ["one", "two"], {"two": 2})
    assert found.frame["condition"].tolist() == 4 * ["one"] + 2 * ["two"]
    assert found.settings["n"] == 4 and found.settings["counts"] == {"two": 2}
