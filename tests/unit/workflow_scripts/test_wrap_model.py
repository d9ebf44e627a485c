import numpy as np
import pytest
import torch

from robusteval.files import read_json, sha256
from robusteval.models._card import load_model
from robusteval.records import read_records
from robusteval.transformations.jpeg import jpeg
from workflow_scripts.craft import craft
from workflow_scripts.wrap_model import wrap_model

JPEG = {"transformation": "jpeg", "arguments": {"quality": 30}, "gradient": "around"}


@pytest.fixture
def wrapped(model_folder, tmp_path):
    """Put a model behind a defence and return the folders of both."""

    def make(defence=JPEG):
        base = model_folder("m")
        wrap_model(base, defence, tmp_path / "behind")
        return base, tmp_path / "behind"

    return make


def test_it_has_the_weights_and_sees_other_images(wrapped):
    base, folder = wrapped()
    weights = "weights.safetensors"
    assert sha256(base / weights) == sha256(folder / weights)
    card = read_json(folder / "card.json")
    assert (card["wraps"], card["defence"]) == ("m", JPEG)
    assert card.keys() - {"wraps", "defence"} == read_json(base / "card.json").keys() - {"clean"}
    (network, _), (model, _) = load_model(base), load_model(folder)
    height, width, channels = card["input_size"]
    images = torch.rand(16, channels, height, width, generator=torch.Generator().manual_seed(1))
    seen = jpeg(images, torch.zeros(16, 0), quality=30)
    assert torch.equal(model(images), network(seen))
    assert not torch.equal(model(images), network(images))


def test_wrong_settings_leave_nothing_behind(wrapped, tmp_path):
    with pytest.raises(ValueError, match=r"behind: m behind .*quality 0: from 1 to 95 expected"):
        wrapped({**JPEG, "arguments": {"quality": 0}})
    assert not (tmp_path / "behind").exists()


def test_an_attack_says_how_it_took_gradients(wrapped, image_folder, tmp_path):
    _, folder = wrapped()
    images = image_folder("whole", 9, source="drawn")

    def attacked(out):
        craft(
            folder,
            images,
            "fgsm",
            "my_fgsm",
            {"small": {"eps": 0.125}},
            count=5,
            seed=7,
            batch_size=64,
            code=[],
            device="cpu",
            folder=out,
        )
        return read_records(out / "records.parquet")

    records = attacked(tmp_path / "adversarial")
    assert records.settings["defence"] == JPEG
    assert read_json(tmp_path / "adversarial" / "card.json")["defence"] == JPEG
    assert np.isfinite(records.frame["l2"]).all() and (records.frame["backwards"] == 1).all()
