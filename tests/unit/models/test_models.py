import warnings
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from robusteval import plugins
from robusteval.batches import predict
from robusteval.files import sha256
from robusteval.models import _evaluate
from robusteval.models._card import build, load_model, save_model
from robusteval.models._errors import ModelError
from robusteval.models._evaluate import checked, evaluate
from robusteval.models._normalised import Normalised

pytestmark = pytest.mark.usefixtures("trusted")  # programs are among the models
BUILDERS = {
    "cnn": {"width": 4},
    "vit": {"patch": 7, "dim": 16, "depth": 1, "heads": 2},
    "timm": {"name": "test_resnet"},
    "torchvision": {"name": "shufflenet_v2_x0_5"},
    "function": {"function": "robusteval.models.cnn:cnn", "width": 4},
    "torchscript": {},
}
COLOUR = {"torchvision"}  # what takes images of three channels only


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """A TorchScript program of the small network, with its hash."""
    network = build(card_of("cnn")).network.eval()
    path = tmp_path_factory.mktemp("program") / "program.pt"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch.jit is deprecated, programs made with it are not
        torch.jit.trace(network, torch.rand(16, 1, 28, 28)).save(path)
    return {"file": str(path), "sha256": sha256(path)}


def card_of(builder, program=None):
    card = {"builder": builder, "arguments": BUILDERS[builder], "classes": list("abcdefghij")}
    channels = 3 if builder in COLOUR else 1
    card |= {"input_size": [28, 28, channels], "mean": [0.3] * channels, "std": [0.35] * channels}
    return card | ({"program": program} if builder == "torchscript" else {})


@pytest.fixture(params=plugins.names("models"))
def card(request, program):
    return card_of(request.param, program)


@pytest.fixture
def model(card):
    torch.manual_seed(0)
    return build(card).eval()


def noise(card, n):
    shape = (n, card["input_size"][2], 28, 28)
    return torch.rand(shape, generator=torch.Generator().manual_seed(1))


def test_logits_have_a_row_an_image_and_a_column_a_class(card, model):
    assert predict(model, noise(card, 5)).shape == (5, 10)


@pytest.mark.parametrize("batch_size", [1, 7, 256])
@pytest.mark.parametrize("threads", [1, 2])
def test_logits_do_not_depend_on_batch_size_or_threads(card, model, batch_size, threads):
    images = noise(card, 300)
    reference = predict(model, images)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        logits = predict(model, images, batch_size=batch_size)
    finally:
        torch.set_num_threads(before)
    if threads == 1:
        assert torch.equal(logits, reference)
    # Threads split sums differently: float32 rounding, about 1e-7 of logits of size 1.
    torch.testing.assert_close(logits, reference, rtol=0, atol=1e-5)
    assert torch.equal(logits.argmax(1), reference.argmax(1))


def test_logits_do_not_depend_on_order_or_neighbours(card, model):
    images = noise(card, 100)
    order = torch.randperm(100, generator=torch.Generator().manual_seed(2))
    assert torch.equal(predict(model, images)[order], predict(model, images[order]))
    assert torch.equal(predict(model, images)[:3], predict(model, images[:3]))


def test_normalisation_is_a_layer_of_the_model():
    model = Normalised(torch.nn.Flatten(), [0.5, 0.25], [0.5, 0.25])
    images = torch.tensor([1.0, 0.5]).view(1, 2, 1, 1)
    assert model(images).tolist() == [[1.0, 1.0]]
    assert not list(model.parameters())


def test_a_saved_model_says_the_same(tmp_path, card, model):
    save_model(tmp_path, model, card)
    again, read = load_model(tmp_path)
    images = noise(card, 4)
    reference = predict(model.to(memory_format=torch.channels_last), images)
    assert torch.equal(predict(again, images), reference)
    assert not again.training and not any(p.requires_grad for p in again.parameters())
    assert read["mean"] == card["mean"]


def test_gradients_do_not_depend_on_the_batch(tmp_path, card, model):
    save_model(tmp_path, model, card)
    again, _ = load_model(tmp_path)

    def gradient(images):
        images = images.clone().requires_grad_(True)
        return torch.autograd.grad(again(images).logsumexp(1).sum(), images)[0]

    images = noise(card, 64)
    wide = gradient(images)
    assert wide.abs().sum() > 0
    for width in (16, 32):
        assert torch.equal(torch.cat([gradient(part) for part in images.split(width)]), wide)


def test_tensors_that_share_memory_are_saved_and_share_it_again(tmp_path):
    def tied():
        network = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
        network[1].weight = network[0].weight
        return network

    network = tied()
    network.register_buffer("part", network[0].bias.detach()[1:3])  # a view into another tensor
    save_model(tmp_path, network, {})
    saved = load_file(tmp_path / "weights.safetensors")
    assert torch.equal(saved["0.weight"], network[1].weight)
    assert torch.equal(saved["1.weight"], network[1].weight)
    assert torch.equal(saved["part"], network[0].bias[1:3])
    again = tied()
    again.load_state_dict({k: v for k, v in saved.items() if k != "part"})
    assert again[0].weight is again[1].weight and torch.equal(again[0].weight, network[0].weight)


def test_weights_lie_channels_last_on_a_cpu(tmp_path):
    card = card_of("timm")
    save_model(tmp_path, build(card), card)
    weight = load_model(tmp_path)[0].network.conv1[3].weight
    assert weight.is_contiguous(memory_format=torch.channels_last) and not weight.is_contiguous()


def test_a_changed_program_is_found(tmp_path, program):
    path = tmp_path / "program.pt"
    path.write_bytes(Path(program["file"]).read_bytes())
    card = card_of("torchscript", program | {"file": "program.pt"})
    save_model(tmp_path, build(card, tmp_path), card)
    load_model(tmp_path)
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(ValueError, match=r"program\.pt: missing or damaged, its SHA-256 is not"):
        load_model(tmp_path)


def test_changed_code_is_found(tmp_path):
    code = tmp_path / "net.py"
    code.write_text("from torch import nn\n\ndef net():\n    return nn.Flatten()\n")
    card = card_of("function") | {"arguments": {"function": f"{code}:net"}}
    card["code"] = {"file": str(code), "sha256": sha256(code)}
    save_model(tmp_path, build(card), card)
    load_model(tmp_path)
    code.write_text(code.read_text().replace("Flatten()", "Identity()"))
    with pytest.raises(ValueError, match=r"net\.py: missing or changed since, its SHA-256"):
        load_model(tmp_path)


def test_one_flipped_bit_in_the_weights_is_found(tmp_path):
    save_model(tmp_path, build(card_of("cnn")), card_of("cnn"))
    path = tmp_path / "weights.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"weights\.safetensors: missing or damaged"):
        load_model(tmp_path)


def test_vit_refuses_an_image_that_patches_do_not_fill():
    with pytest.raises(ValueError, match=r"\(28, 30, 1\): a square"):
        plugins.load("models", "vit")(classes=2, shape=(28, 30, 1))


@pytest.mark.parametrize("block", [None, 7, 64, 700])
def test_evaluate_streams_all_images_in_order(block, monkeypatch):
    monkeypatch.setattr(_evaluate, "CHUNK", 1 << 10)  # 512 images of two bytes
    images = torch.randint(0, 256, (2500, 2, 1, 1), dtype=torch.uint8).numpy()
    seen = []
    given = (images[i : i + block] for i in range(0, 2500, block)) if block else images
    logits = evaluate(torch.nn.Flatten(), given, classes=2, progress=seen.append)
    assert sum(seen) == 2500 and len(seen) > 1 and max(seen) <= 512
    # whole passes but for the last: little is padding
    assert all(n % 64 == 0 for n in seen[:-1])
    assert (logits == images[..., 0].reshape(2500, 2).astype("float32") / 255).all()


def test_nan_and_wrong_classes_are_refused():
    with pytest.raises(ModelError, match="NaN or infinite logits for 1 of 2 images"):
        checked(torch.tensor([[0.0, 1.0], [float("nan"), 0.0]]), 2, 2)
    with pytest.raises(ModelError, match=r"shape \(2, 3\) for 2 images .* with 2 classes"):
        checked(torch.zeros(2, 3), 2, 2)
