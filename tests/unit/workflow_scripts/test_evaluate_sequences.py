import numpy as np
import pytest
import torch

from robusteval.batches import as_tensor
from robusteval.images._image_set import index_of, read_image_set, subset, write_image_set
from robusteval.models._card import build, load_model, save_model
from robusteval.perturbations._apply import perturb
from robusteval.records import read_records
from robusteval.seeds import generator
from workflow_scripts import evaluate_sequences as script
from workflow_scripts.evaluate_sequences import evaluate_sequences, top_classes

SEED = 7


@pytest.fixture
def images(tmp_path):
    """Write nine grey images of 30 pixels with ids from 100 on."""
    drawn = generator(0, "images").integers(256, size=(9, 30, 30, 1), dtype=np.uint8)
    index = index_of(100 + np.arange(9), np.arange(9) % 3, "clean")
    write_image_set(tmp_path / "images", drawn, index, source="drawn")
    return tmp_path / "images"


@pytest.fixture
def model(tmp_path):
    """Save an untrained network of so many classes; spoilt, it says NaN."""

    def save(classes=7, spoil=False, side=28):
        torch.manual_seed(1)
        card = {
            "builder": "cnn",
            "arguments": {"width": 4},
            "classes": [str(i) for i in range(classes)],
            "input_size": [side, side, 1],
            "mean": [0.5],
            "std": [0.25],
        }
        network = build(card)
        if spoil:
            torch.nn.init.constant_(list(network.parameters())[-1], float("nan"))
        save_model(tmp_path / "model", network, card)
        return tmp_path / "model"

    return save


@pytest.fixture
def run(tmp_path, images):
    def records_of(model, kinds, count=4, side=28):
        path = tmp_path / "records.parquet"
        arguments = (model, images, kinds, "cifar10_p", count, SEED, 64, "cpu", path)
        evaluate_sequences(*arguments, side=side)
        return read_records(path)

    return records_of


TOP = ["prediction", "top_2", "top_3", "top_4", "top_5"]


def test_a_row_a_frame_in_order(run, model):
    found = run(model(), ["translate", "motion_blur"]).frame
    chosen = 100 + subset(np.arange(100, 109), 4, SEED)
    assert found["condition"].tolist() == ["translate"] * 4 * 16 + ["motion_blur"] * 4 * 21
    blurred = found[found["condition"] == "motion_blur"]
    assert blurred["image_id"].tolist() == np.repeat(chosen, 21).tolist()
    assert blurred["severity"].tolist() == [*range(1, 22)] * 4
    assert (found["label"] == (found["image_id"] - 100) % 3).all()


@pytest.mark.parametrize("side", [None, 28])
def test_the_classes_are_those_of_the_frames(run, model, images, side):
    found = run(model(side=side or 30), ["shot_noise"], side=side)
    chosen = subset(np.arange(100, 109), 4, SEED)
    generators = [generator(SEED, "sequence", "shot_noise", 100 + int(i)) for i in chosen]
    clean = read_image_set(images).images[chosen]
    made = perturb(clean, "shot_noise", generators, family="cifar10_p", side=side)
    network, _ = load_model(model())
    with torch.inference_mode():
        logits = network(as_tensor(made.reshape(-1, *made.shape[2:]))).numpy()
    said = np.take_along_axis(logits, found.frame[TOP].to_numpy().astype(np.int64), axis=1)
    # Another batch size rounds otherwise, by 4e-6 at most where that was measured.
    np.testing.assert_allclose(said, -np.sort(-logits, axis=1)[:, :5], atol=1e-5)
    assert found.logits.shape == (4 * 31, 0)


def test_an_image_does_not_depend_on_what_is_beside_it(run, model, monkeypatch):
    folder, kinds = model(), ["gaussian_noise", "spatter"]
    together = run(folder, kinds, 6).frame
    fewer = run(folder, kinds, 3).frame
    kept = together[together["image_id"].isin(fewer["image_id"])].reset_index(drop=True)
    assert kept.equals(fewer)
    alone = run(folder, ["spatter"], 6).frame
    spattered = together[together["condition"] == "spatter"].reset_index(drop=True)
    assert spattered.equals(alone)
    monkeypatch.setattr(script, "AT_A_TIME", 2)
    assert run(folder, kinds, 6).frame.equals(together)


def test_three_classes_are_all_kept(run, model):
    found = run(model(classes=3), ["translate"]).frame
    assert "top_4" not in found
    assert (np.sort(found[TOP[:3]].to_numpy(), axis=1) == [0, 1, 2]).all()


def test_the_settings_are_kept(run, model):
    settings = run(model(), ["translate"]).settings
    kept = {key: settings[key] for key in ("n", "seed", "family", "kinds")}
    assert kept == {"n": 4, "seed": SEED, "family": "cifar10_p", "kinds": ["translate"]}
    assert len(settings["weights"]) == 64


def test_a_model_that_says_nan_is_a_failed_cell(run, model):
    found = run(model(spoil=True), ["translate"])
    assert found.status == "the model returned NaN or infinite logits for 64 of 64 images"
    assert len(found.frame) == 0
    assert found.settings["family"] == "cifar10_p"


def test_an_unknown_kind_is_an_error_before_any_work(run, model):
    with pytest.raises(ValueError, match="cifar10_p has no perturbation 'fog'; it has gauss"):
        run(model(), ["translate", "fog"])


def test_of_equal_logits_the_first_class_leads():
    logits = np.array([[1, 3, 3, 0, 2, 2, 2], [0, 0, 0, 0, 0, 0, 0]], np.float32)
    assert top_classes(logits).tolist() == [[1, 2, 4, 5, 6], [0, 1, 2, 3, 4]]
