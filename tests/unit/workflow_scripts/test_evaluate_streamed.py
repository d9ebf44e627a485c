"""A cell that stores no images has the records of one that does."""

import numpy as np
import pandas as pd
import pytest
import torch

from robusteval.images._image_set import index_of, write_image_set
from robusteval.models._card import build, save_model
from robusteval.records import read_records
from robusteval.seeds import generator
from workflow_scripts.corrupt_images import corrupt_images
from workflow_scripts.evaluate import evaluate_cell, stored_parts
from workflow_scripts.evaluate_streamed import streamed_parts

NAMES = ["shot_noise", "zigzag"]


@pytest.fixture
def clean(tmp_path):
    images = generator(0, "streamed").integers(256, size=(70, 28, 28, 1), dtype=np.uint8)
    index = index_of(5 + np.arange(70), np.arange(70) % 3, "clean").assign(path="x.png")
    write_image_set(tmp_path / "clean", images, index, left_out={"mine": 2})
    return tmp_path / "clean"


@pytest.fixture
def model(tmp_path):
    torch.manual_seed(0)
    card = {
        "builder": "cnn", "arguments": {"width": 4}, "classes": ["a", "b", "c"],
        "input_size": [28, 28, 1], "mean": [0.5], "std": [0.25],
    }  # fmt: skip
    save_model(tmp_path / "model", build(card), card)
    return tmp_path / "model"


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("storage", ["array", "jpeg_85"])
def test_the_records_are_the_same_to_the_byte(clean, model, tmp_path, workers, storage):
    for name in NAMES:
        corrupt_images(clean, name, "mnist_c", 66, 3, tmp_path / name, storage=storage)
    stored, streamed = tmp_path / "stored.parquet", tmp_path / "streamed.parquet"
    parts, settings = stored_parts([tmp_path / name for name in NAMES], NAMES, 66, 3)
    evaluate_cell(model, parts, settings, 64, "cpu", stored)
    parts, settings = streamed_parts(clean, NAMES, "mnist_c", storage, 66, 3, workers)
    evaluate_cell(model, parts, settings, 64, "cpu", streamed)
    one, other = read_records(stored), read_records(streamed)
    pd.testing.assert_frame_equal(one.frame, other.frame)
    assert one.settings == other.settings and one.settings["left_out"] == {"mine": 2}
    assert np.array_equal(one.logits, other.logits)
    assert stored.read_bytes() == streamed.read_bytes()
