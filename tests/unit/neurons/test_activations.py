import numpy as np
import pytest
import torch
from torch import nn

from robusteval.models._errors import ModelError
from robusteval.neurons._activations import activations
from robusteval.neurons._layers import layers_of
from robusteval.neurons._values import values_of


def whole(model, images, names=("conv1", "head"), **options):
    parts = list(activations(model, images, layers_of(model, names=names), **options))
    assert [part.start for part, _ in parts] == [0, *(part.stop for part, _ in parts[:-1])]
    return {k: np.concatenate([values[k] for _, values in parts]) for k in parts[0][1]}


def test_channels_have_their_mean_and_units_themselves(network, images):
    found = whole(network, images)
    with torch.no_grad():
        conv, head = network.conv1(images).numpy(), network(images).numpy()
    assert found["conv1"].shape == (150, 6, 1) and found["head"].shape == (150, 4, 1)
    # The same float32 numbers, but for the rounding of passes of another width.
    assert found["conv1"][..., 0] == pytest.approx(conv.mean((2, 3)), abs=1e-6)
    assert found["head"][..., 0] == pytest.approx(head, abs=1e-6)


def test_any_position_has_all_of_them(network, images):
    found = whole(network, images[:3], ["conv2"], positions="any")["conv2"]
    assert found.shape == (3, 5, 9)
    mean = whole(network, images[:3], ["conv2"])["conv2"]
    found = found.mean(2, keepdims=True, dtype=np.float64)
    assert found == pytest.approx(mean, abs=1e-12)  # rounding of float64


def test_a_layer_used_twice_is_there_twice(network, images):
    found = whole(network, images[:3], ["relu"])
    assert {name: values.shape for name, values in found.items()} == {
        "relu": (3, 6, 1),
        "relu:2": (3, 5, 1),
    }


def test_tokens_are_positions():
    tokens = torch.arange(24.0).reshape(2, 3, 4)
    assert torch.equal(values_of(tokens, "any", "block")[1, 2], torch.tensor([14.0, 18.0, 22.0]))
    assert values_of(tokens, "mean", "block")[1, 2].item() == 18


@pytest.mark.parametrize("batch_size", [1, 16, 33, 256])
def test_width_neighbours_and_layout_do_not_matter(network, images, batch_size):
    expected = whole(network, images)
    turned = images.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)
    for found in (
        whole(network, images, batch_size=batch_size),
        whole(network, turned, batch_size=batch_size),
    ):
        assert all(np.array_equal(found[k], expected[k]) for k in expected)
    alone = whole(network, images[70:71], batch_size=batch_size)
    assert all(np.array_equal(alone[k][0], expected[k][70]) for k in expected)


def test_bytes_are_read_as_images(network, images):
    as_bytes = (images * 255).round().to(torch.uint8)
    found = whole(network, as_bytes.permute(0, 2, 3, 1).numpy())
    expected = whole(network, as_bytes.float() / 255)
    assert all(np.array_equal(found[k], expected[k]) for k in expected)


def test_hooks_are_removed_and_the_model_is_left_alone(network, images):
    whole(network, images[:3])
    assert not any(m._forward_hooks for m in network.modules())
    with pytest.raises(ValueError, match="positions 'all': one of mean, any"):
        whole(network, images, positions="all")


def test_what_is_not_finite_is_refused(network, images):
    spoilt = images.clone()
    spoilt[5, 0, 0, 0] = torch.nan
    with pytest.raises(ModelError, match="activations of layer 'conv1' are NaN or infinite for 1"):
        whole(network, spoilt)
    assert not any(m._forward_hooks for m in network.modules())


def test_a_layer_that_gives_no_tensor_or_is_not_used_is_named(images):
    class Odd(nn.Module):
        def __init__(self):
            super().__init__()
            self.idle, self.pair = nn.ReLU(), Pair()

        def forward(self, x):
            return self.pair(x)[0].flatten(1)

    class Pair(nn.Module):
        def forward(self, x):
            return x, x

    with pytest.raises(ValueError, match="layer 'pair' gives tuple: expected a tensor"):
        whole(Odd(), images, ["pair"])
    with pytest.raises(ValueError, match="layer 'idle' is not used in a pass"):
        whole(Odd(), images, ["idle"])


def test_layers_that_write_into_their_input_do_not_change_what_was_seen(images):
    with torch.random.fork_rng():
        torch.manual_seed(5)
        conv = nn.Conv2d(3, 4, 3)
    model = nn.Sequential(conv, nn.ReLU(inplace=True), nn.Flatten())
    for positions in ("mean", "any"):
        found = whole(model, images[:4], ["0"], positions=positions)["0"]
        assert (found < 0).any()


def test_units_are_copied_too(images):
    model = nn.Sequential(nn.Flatten(), nn.Linear(192, 5), nn.ReLU(inplace=True)).eval()
    assert (whole(model, images, ["1"], positions="any")["1"] < 0).any()
