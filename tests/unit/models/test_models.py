import pytest
import torch

from robusteval import plugins
from robusteval.batches import predict
from robusteval.models._card import build, load_model, save_model
from robusteval.models._errors import ModelError
from robusteval.models._evaluate import checked, evaluate
from robusteval.models._normalised import Normalised

BUILDERS = {"cnn": {"width": 4}, "vit": {"patch": 7, "dim": 16, "depth": 1, "heads": 2}}


def card_of(builder):
    card = {"builder": builder, "arguments": BUILDERS[builder], "classes": list("abcdefghij")}
    return {**card, "input_size": [28, 28, 1], "mean": [0.3], "std": [0.35]}


@pytest.fixture(params=plugins.names("models"))
def model(request):
    torch.manual_seed(0)
    return build(card_of(request.param)).eval()


def test_logits_have_a_row_an_image_and_a_column_a_class(model):
    assert predict(model, torch.rand(5, 1, 28, 28)).shape == (5, 10)


@pytest.mark.parametrize("batch_size", [1, 7, 256])
@pytest.mark.parametrize("threads", [1, 2])
def test_logits_do_not_depend_on_batch_size_or_threads(model, batch_size, threads):
    images = torch.rand(300, 1, 28, 28, generator=torch.Generator().manual_seed(1))
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


def test_logits_do_not_depend_on_order_or_neighbours(model):
    images = torch.rand(100, 1, 28, 28, generator=torch.Generator().manual_seed(1))
    order = torch.randperm(100, generator=torch.Generator().manual_seed(2))
    assert torch.equal(predict(model, images)[order], predict(model, images[order]))
    assert torch.equal(predict(model, images)[:3], predict(model, images[:3]))


def test_normalisation_is_a_layer_of_the_model():
    model = Normalised(torch.nn.Flatten(), [0.5, 0.25], [0.5, 0.25])
    images = torch.tensor([1.0, 0.5]).view(1, 2, 1, 1)
    assert model(images).tolist() == [[1.0, 1.0]]
    assert not list(model.parameters())


def test_a_saved_model_says_the_same(tmp_path, model):
    card = next(c for c in map(card_of, BUILDERS) if type(build(c).network) is type(model.network))
    save_model(tmp_path, model, card)
    again, read = load_model(tmp_path)
    images = torch.rand(4, 1, 28, 28)
    assert torch.equal(predict(again, images), predict(model, images))
    assert not again.training and not any(p.requires_grad for p in again.parameters())
    assert read["mean"] == [0.3]


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


def test_evaluate_streams_all_images_in_order():
    images = torch.randint(0, 256, (2500, 2, 1, 1), dtype=torch.uint8).numpy()
    seen = []
    logits = evaluate(torch.nn.Flatten(), images, classes=2, progress=seen.append)
    assert sum(seen) == 2500 and len(seen) > 1
    assert (logits == images[..., 0].reshape(2500, 2).astype("float32") / 255).all()


def test_nan_and_wrong_classes_are_refused():
    with pytest.raises(ModelError, match="NaN or infinite logits for 1 of 2 images"):
        checked(torch.tensor([[0.0, 1.0], [float("nan"), 0.0]]), 2, 2)
    with pytest.raises(ModelError, match=r"shape \(2, 3\) for 2 images .* with 2 classes"):
        checked(torch.zeros(2, 3), 2, 2)
