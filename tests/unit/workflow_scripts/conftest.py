"""Records, a model and image sets small enough to work out by hand."""

import numpy as np
import pandas as pd
import pytest
import torch

from robusteval.images._image_set import index_of, write_image_set
from robusteval.models._card import build, save_model
from robusteval.records import OK, Records
from robusteval.seeds import generator


def frame_of(said, labels, ids):
    """Return a row an image and entry of ``said``: {(condition, severity): predictions}."""
    parts = []
    for (condition, severity), predictions in said.items():
        n = len(predictions)
        label = labels if labels is not None else [0] * n
        part = index_of(ids if ids is not None else 10 + np.arange(n), label, condition, severity)
        parts.append(part.assign(prediction=predictions))
    return pd.concat(parts, ignore_index=True)


@pytest.fixture
def records():
    """Make records of {(condition, severity): predictions}; labels are 0, ids from 10 on."""

    def make(said, *, labels=None, ids=None, logits=None):
        frame = frame_of(said, labels, ids)
        answers = np.zeros((len(frame), 2), np.float32)
        if logits is not None:
            answers[:, 0] = logits  # class 0 leads class 1 by this much
        return Records(frame, answers)

    return make


@pytest.fixture
def transfers():
    """Make a target's records of {(source, condition): predictions}; labels are 0, ids from 10."""

    def make(said, *, missing=None, ids=None):
        parts = [
            frame_of({(condition, 0): predictions}, None, ids).assign(source=source)
            for (source, condition), predictions in said.items()
        ]
        frame = pd.concat(parts, ignore_index=True)
        logits = np.arange(2 * len(frame), dtype=np.float32).reshape(-1, 2)
        sizes = dict.fromkeys([*frame["source"], *(missing or {})], "no")
        return Records(frame, logits, OK, {"missing": missing or {}, "resized": sizes})

    return make


@pytest.fixture
def model_folder(tmp_path):
    """Save untrained networks for 8 x 8 grey images and three classes, one a seed."""

    def save(name, seed=0, spoil=False, dead=False):
        torch.manual_seed(seed)
        card = {
            "builder": "cnn",
            "arguments": {"width": 4},
            "classes": ["a", "b", "c"],
            "input_size": [8, 8, 1],
            "mean": [0.5],
            "std": [0.25],
        }
        model = build(card)
        if dead:
            torch.nn.init.zeros_(list(model.parameters())[-2])  # no image moves a logit
        if spoil:
            torch.nn.init.constant_(list(model.parameters())[-1], float("nan"))
        save_model(tmp_path / "models" / name, model, card)
        return tmp_path / "models" / name

    return save


@pytest.fixture
def image_folder(tmp_path):
    """Write sets of grey 8 x 8 images with ids from 100 on; a ``card`` entry as given."""

    def write(name, n, condition="clean", severity=0, **card):
        images = generator(0, name).integers(256, size=(n, 8, 8, 1), dtype=np.uint8)
        index = index_of(100 + np.arange(n), np.arange(n) % 3, condition, severity)
        write_image_set(tmp_path / "images" / name, images, index, **card)
        return tmp_path / "images" / name

    return write
