import numpy as np
import pytest
import torch

from robusteval.attacks._coding import read_images
from robusteval.attacks._stored import STORED
from robusteval.files import read_json, write_json
from robusteval.models._card import load_model
from robusteval.records import read_records
from workflow_scripts import craft as crafting
from workflow_scripts.craft import craft
from workflow_scripts.requantise import requantise


@pytest.fixture
def made(tmp_path, model_folder, image_folder, monkeypatch):
    """Attack a model: 5 images, two conditions, two shards each."""
    monkeypatch.setattr(crafting, "SHARD", 4)
    craft(
        model_folder("m"),
        image_folder("whole", 9, source="drawn"),
        "fgsm",
        "fgsm",
        {"large": {"eps": 0.1234}, "small": {"eps": 0.0101}},
        count=5,
        seed=7,
        batch_size=64,
        code=[],
        device="cpu",
        folder=tmp_path / "adversarial/m/fgsm",
    )
    return tmp_path / "adversarial/m/fgsm"


@pytest.fixture
def run(tmp_path, model_folder):
    def records_of(made, **options):
        path = tmp_path / "storage/m.parquet"
        options = {"batch_size": 64, "code": [], "device": "cpu", "path": path, **options}
        requantise(model_folder("m", **options.pop("model", {})), {"fgsm": made}, **options)
        return read_records(path)

    return records_of


def test_the_answers_are_about_the_rounded_images(made, run, model_folder):
    found = run(made)
    assert found.frame["storage"].tolist() == ["uint8"] * 10 + ["float16"] * 10
    costs = read_records(made / "records.parquet").frame
    for name in ("image_id", "label", "condition"):
        assert found.frame[name].tolist() == costs[name].tolist() * 2
    shards = [
        torch.from_numpy(read_images(made / f"{name}.safetensors")) for name in shard_names(made)
    ]
    model, _ = load_model(model_folder("m"))
    with torch.inference_mode():
        expected = torch.cat([model(change(torch.cat(shards))) for change in STORED.values()])
    # Another batch size rounds otherwise, by 4e-6 at most where that was measured.
    np.testing.assert_allclose(found.logits, expected.numpy(), atol=1e-5)
    assert found.frame["prediction"].tolist() == expected.argmax(1).tolist()
    # The two storages are not the same images.
    assert (found.logits[:10] != found.logits[10:]).any()
    assert (found.frame["target"] == -1).all()
    assert (found.frame["attack"] == "fgsm").all()
    assert found.settings["goals"]["fgsm"] == {"large": "untargeted", "small": "untargeted"}


def shard_names(folder):
    return read_json(folder / "card.json")["shards"]


def test_an_attack_that_failed_is_left_out(made, run):
    write_json(made / "card.json", {**read_json(made / "card.json"), "status": "it says NaN"})
    found = run(made)
    assert (found.status, len(found.frame), found.settings["goals"]) == ("ok", 0, {})


def test_attacks_stand_one_after_the_other(tmp_path, made, model_folder):
    path = tmp_path / "storage/m.parquet"
    folders = {"fgsm": made, "again": made}
    requantise(model_folder("m"), folders, batch_size=64, code=[], device="cpu", path=path)
    found = read_records(path)
    assert found.frame["attack"].tolist() == ["fgsm"] * 20 + ["again"] * 20
    assert (found.logits[:20] == found.logits[20:]).all()


def test_a_model_that_fails_is_named(made, run):
    assert "NaN" in run(made, model={"spoil": True}).status


def test_images_that_are_not_those_of_the_card(made, run):
    shard = made / f"{next(iter(shard_names(made)))}.safetensors"
    shard.write_bytes(shard.read_bytes()[:-1] + b"?")
    with pytest.raises(ValueError, match="missing or not the file"):
        run(made)
