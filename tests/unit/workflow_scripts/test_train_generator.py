"""Generators trained or brought along, end to end on 8 x 8 images."""

import numpy as np
import pytest
import torch

from robusteval.files import read_json, sha256
from robusteval.generators._card import build, load_generator
from robusteval.images._image_set import index_of, write_image_set
from robusteval.seeds import generator
from robusteval.shards import Shards
from workflow_scripts import train_generator as script
from workflow_scripts.prepare_generator import prepare_generator
from workflow_scripts.train_generator import train_generator

ARGUMENTS = {"width": 4, "latent": 2, "codes": 8, "factor": 2}
TRAINING = {"count": 48, "seed": 1, "epochs": 3, "batch_size": 16, "learning_rate": 0.01}


@pytest.fixture
def train(tmp_path):
    """Train into a folder of this name; return the folder."""
    images = generator(0, "noise").integers(256, size=(64, 8, 8, 1), dtype=np.uint8)
    index = index_of(np.arange(64), np.zeros(64, np.int64), "clean")
    write_image_set(tmp_path / "images", images, index, classes=["a"])

    def run(name):
        recipe = {"images": "x", **TRAINING}
        arguments = (tmp_path / "images", "vq_vae", ARGUMENTS, recipe, [], "cpu", tmp_path / name)
        train_generator(*arguments)
        return tmp_path / name

    return run


def test_a_killed_training_ends_with_the_same_bytes(train, tmp_path, monkeypatch):
    whole = train("whole")
    real, made = Shards.put, []

    def dying(self, *arguments):
        real(self, *arguments)
        made.append(arguments)
        if len(made) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(Shards, "put", dying)
    with pytest.raises(KeyboardInterrupt):
        train("killed")
    monkeypatch.setattr(Shards, "put", real)
    steps = []
    loss = script.reconstruction
    monkeypatch.setattr(
        script, "reconstruction", lambda *a, **k: steps.append(k["done"]) or loss(*a, **k)
    )
    killed = train("killed")
    assert len(steps) == 3  # the last of three epochs of three batches
    for name in ("weights.safetensors", "card.json"):
        assert (killed / name).read_bytes() == (whole / name).read_bytes()
    assert not list((killed / "checkpoints").iterdir())


def test_the_card_says_how_large_latents_are(train):
    folder = train("one")
    card = read_json(folder / "card.json")
    assert card["input_size"] == [8, 8, 1] and card["training"]["count"] == 48
    assert card["round_trip"]["latent_rms"] > 0 and card["round_trip"]["n"] == 48
    assert load_generator(folder)[1] == card


def entry_of(path, **weights):
    small = {"codes": 16, "latent": 4, "width": 32, "multiples": [1, 2], "blocks": 1}
    return {
        "builder": "taming_vqgan",
        "arguments": {**small, "attention": 1},
        "shape": [16, 16, 3],
        "weights": {"from": str(path), **weights},
    }


def test_a_checkpoint_becomes_a_generator_once(tmp_path):
    entry = entry_of(tmp_path / "last.ckpt")
    made = build(
        {"builder": "taming_vqgan", "arguments": entry["arguments"], "input_size": [16, 16, 3]}
    )
    torch.save({"state_dict": made.state_dict()}, tmp_path / "last.ckpt")
    digest = sha256(tmp_path / "last.ckpt")
    prepare_generator(entry_of(tmp_path / "last.ckpt", sha256=digest), tmp_path / "out")
    loaded, card = load_generator(tmp_path / "out")
    images = torch.rand(2, 3, 16, 16)
    with torch.inference_mode():
        # Weights lie in another order, which may round otherwise in the last of 24 bits.
        torch.testing.assert_close(loaded(images), made(images), atol=1e-4, rtol=0)
    assert card["weights"]["sha256"] == digest


def test_weights_that_are_missing_or_others_are_named(tmp_path):
    with pytest.raises(ValueError, match="no such file here; download the weights of taming_vqgan"):
        prepare_generator(entry_of(tmp_path / "none.ckpt", sha256="0" * 64), tmp_path / "out")
    (tmp_path / "other.ckpt").write_bytes(b"PK")
    with pytest.raises(ValueError, match="its SHA-256 is"):
        prepare_generator(entry_of(tmp_path / "other.ckpt", sha256="0" * 64), tmp_path / "out")


def test_weights_of_a_hub_need_a_licence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    weights = {"from": "somebody/net"}
    entry = {"builder": "diffusers", "arguments": {"model": "None"}, "shape": [8, 8, 3]}
    with pytest.raises(ValueError, match="weights of somebody/net: the field licence is missing"):
        prepare_generator(entry | {"weights": weights}, tmp_path / "out")
    for allowed in ({"weights": weights | {"licence": "MIT"}}, {"weights": weights}):
        unlicensed = "licence" not in allowed["weights"]
        with pytest.raises(ValueError, match="model 'None': one of VQModel"):  # it comes further
            prepare_generator(entry | allowed, tmp_path / "out", allow_unlicensed=unlicensed)
    (tmp_path / "somebody/net").mkdir(parents=True)  # a folder of the person's own
    with pytest.raises(ValueError, match="model 'None': one of VQModel"):
        prepare_generator(entry | {"weights": weights}, tmp_path / "out")
