"""A folder, a checkpoint and a few lines of code of one's own, through the whole graph."""

import numpy as np
import pandas as pd
import pytest
import torch
import yaml
from PIL import Image
from torch import nn

CODE = '''"""The brightest channel."""

from torch import nn


def brightest(classes, shape, factor):
    return nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(shape[2], classes))
'''
CLASSES = ["red", "green", "blue"]
STUDY = {
    "study": "own",
    "seed": 1,
    "images": "colours",
    "on_unreadable": "skip",
    "trust": True,
    "models": ["brightest"],
    "baseline": "brightest",
    "tests": ["clean"],
    "counts": {"clean": 29},
    "dar": {"calibration": "clean", "mask": "correct", "target_rate": 0.95,
            "rejected_mistake": "right"},
}  # fmt: skip


@pytest.fixture(scope="module")
def own(fresh):
    """The study of 30 pictures in three folders, of which one is damaged."""
    rng = np.random.default_rng(0)
    for i in range(30):
        pixels = rng.integers(0, 60, (40, 50, 3), dtype=np.uint8)
        pixels[..., i % 3] += 150
        path = fresh.folder / "pictures" / CLASSES[i % 3] / f"{i}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(path)
    path.write_bytes(path.read_bytes()[:200])
    (fresh.folder / "my_nets.py").write_text(CODE)
    network = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(3, 3))
    with torch.no_grad():
        network[2].weight.copy_(torch.eye(3))
        network[2].bias.zero_()
    state = {f"module.{name}": tensor for name, tensor in network.state_dict().items()}
    torch.save({"state_dict": state, "epoch": 3}, fresh.folder / "mine.pth")
    colours = {"layout": "wnid_folders", "classes": CLASSES, "count": 30}
    model = {
        "builder": "function",
        "arguments": {"function": "my_nets.py:brightest", "factor": 2},
        "weights": {"file": "mine.pth"},
        "classes": CLASSES,
        "view": "small",
        "mean": [0.5, 0.5, 0.5],
        "std": [0.25, 0.25, 0.25],
    }
    view = {"size": 16, "crop_fraction": 0.8, "interpolation": "bicubic", "resize": "shorter_side"}
    catalogue = {
        "images": {"colours": colours},
        "models": {"brightest": model},
        "views": {"small": view},
    }
    study = STUDY | {"folders": {"colours": "pictures"}, "catalogue": catalogue}
    (fresh.folder / "config/own.yaml").write_text(yaml.safe_dump(study))
    fresh.run(study="own")
    return fresh


def test_every_readable_picture_is_right(own):
    accuracy = pd.read_csv(own.folder / "results/own/tables/accuracy.csv")
    assert accuracy["n"].tolist() == [29] and accuracy["accuracy_pct_higher_better"].item() == 100


def test_the_damaged_one_is_counted_in_the_tables(own):
    for name in ("accuracy", "accuracy_by_test", "dar", "dar_by_set"):
        table = pd.read_csv(own.folder / f"results/own/tables/{name}.csv")
        assert (table["unreadable_left_out"] == "1 of colours").all(), name


def test_again_there_is_nothing_to_be_done(own):
    assert "Nothing to be done" in own.run(study="own")


def test_an_edit_of_ones_own_code_prepares_and_measures_the_model_again(own):
    path = own.folder / "my_nets.py"
    path.write_text(CODE + "\n# edited\n")
    try:
        jobs = own.jobs(study="own")
    finally:
        path.write_text(CODE)
    assert jobs["prepare_model"] == jobs["evaluate"] == jobs["check_model"] == 1
    assert "view_images" not in jobs


def test_a_damaged_picture_stops_a_study_that_does_not_skip_it(own):
    study = yaml.safe_load((own.folder / "config/own.yaml").read_text())
    del study["on_unreadable"]
    (own.folder / "config/strict.yaml").write_text(yaml.safe_dump(study | {"study": "strict"}))
    text = own.run(study="strict", check=False)
    lines = [line for line in text.splitlines() if "error: pictures: blue/29.png" in line]
    assert lines and "1 of 30 images cannot be read" in lines[0], text[-3000:]
