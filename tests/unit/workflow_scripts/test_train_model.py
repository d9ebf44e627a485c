"""What a recipe's training images are."""

import numpy as np
import pandas as pd
import pytest
import torch

from robusteval.files import read_json
from robusteval.images._image_set import index_of, read_image_set, write_image_set
from robusteval.records import Records, write_records
from robusteval.seeds import generator
from workflow_scripts import train_model as script
from workflow_scripts.train_model import train_model

RECIPE = {
    "count": 24, "seed": 3, "method": "standard", "method_arguments": {}, "epochs": 1,
    "batch_size": 8, "optimiser": "sgd", "learning_rate": 0.1, "weight_decay": 0.0,
}  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """Forty images, and ten searched ones of two conditions of which one in two is valid."""
    rng = generator(0, "train_model")
    images = rng.integers(256, size=(40, 8, 8, 1)).astype(np.uint8)
    index = index_of(np.arange(40), np.arange(40) % 3, "clean")
    write_image_set(tmp_path / "images", images, index, classes=["a", "b", "c"])
    parts = [index_of(np.arange(5), np.arange(5) % 3, c) for c in ("round trip", "step")]
    index = pd.concat(parts, ignore_index=True)
    write_image_set(tmp_path / "searched", 255 - images[:10], index, classes=["a", "b", "c"])
    before = index_of(np.arange(5), np.arange(5) % 3, "original")
    frame = pd.concat([before, index], ignore_index=True)
    frame["valid"] = np.arange(15) % 2 == 1
    write_records(tmp_path / "searched/records.parquet", Records(frame, np.zeros((15, 3))))
    return tmp_path


@pytest.fixture
def trained(folder, monkeypatch):
    """Train, and return the images and labels that were trained on, and the card."""

    def run(beside=None, **recipe):
        seen = []
        real = script.train
        monkeypatch.setattr(script, "train", lambda *a, **k: (seen.append(a[1:]), real(*a, **k)))
        where = folder / ("taught" if beside else "plain")
        sets = (folder / "images", folder / "images")
        recipe = RECIPE | recipe
        train_model(*sets, "cnn", {"width": 4}, recipe, [], "cpu", where, searched=beside)
        monkeypatch.setattr(script, "train", real)
        return *seen[0], read_json(where / "card.json")

    return run


def test_valid_searched_images_are_trained_on_with_their_labels(trained, folder):
    images, labels, plain = trained()
    recipe = {"test": "t", "condition": "step", "against": "other", "count": 5}
    more, named, card = trained(folder / "searched", searched=recipe)
    assert torch.equal(more[:24], images) and torch.equal(named[:24], labels)
    # Of the rows of the condition, 10 to 14 of the records, 11 and 13 are valid.
    found = read_image_set(folder / "searched")
    kept = torch.from_numpy(np.array(found.images[[6, 8]])).permute(0, 3, 1, 2) / 255
    assert torch.equal(more[24:], kept) and named[24:].tolist() == [1, 0]
    assert card["searched"] == {"n": 2, "sha256": found.card["sha256"]}
    assert "searched" not in plain and card["mean"] == plain["mean"]
    assert card["weights_sha256"] != plain["weights_sha256"]
