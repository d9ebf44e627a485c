"""An image's place in a pass does not move a bit, whatever the shape of a layer."""

import pytest
import torch
from torch import nn

from robusteval.batches import fixed_width

CPU = torch.device("cpu")


def bits(layer, image, width):
    """Return what differs among the outputs and gradients of one image at each place of a pass."""
    images = image.expand(width, *image.shape[1:]).contiguous().requires_grad_()
    outputs = layer(images)
    (gradients,) = torch.autograd.grad(outputs.square().sum(), images)
    return [{row.numpy().tobytes() for row in found.detach()} for found in (outputs, gradients)]


@pytest.mark.parametrize("width", [16, 64])
@pytest.mark.parametrize("inputs", [13, 45, 50, 127, 784])
@pytest.mark.parametrize("outputs", [2, 4, 10, 11])
def test_a_linear_layer_says_the_same_at_each_place(width, inputs, outputs):
    layer, image = nn.Linear(inputs, outputs), torch.rand(1, inputs)
    assert [len(found) for found in bits(layer, image, width)] == [1, 1]


@pytest.mark.parametrize(("channels", "size"), [(1, 28), (3, 7), (5, 8), (6, 7), (16, 7)])
@pytest.mark.parametrize("stride", [1, 2])
def test_a_convolution_says_the_same_at_each_place(channels, size, stride):
    layer = nn.Conv2d(channels, 5, 3, stride, 1)
    image = torch.rand(1, channels, size, size)
    assert [len(found) for found in bits(layer, image, 64)] == [1, 1]


@pytest.mark.parametrize(("width", "tokens"), [(30, 49), (48, 17)])
def test_a_transformer_says_the_same_at_each_place(width, tokens):
    layer = nn.TransformerEncoderLayer(width, 3, 2 * width, dropout=0, batch_first=True)
    assert [len(found) for found in bits(layer, torch.rand(1, tokens, width), 64)] == [1, 1]


def test_a_pass_is_a_multiple_of_16_wide_and_at_most_64_on_a_cpu():
    assert [fixed_width(size, CPU) for size in (1, 16, 17, 64, 65, 1000)] == [
        16,
        16,
        32,
        64,
        64,
        64,
    ]
    with pytest.raises(ValueError, match="batch size 0: at least 1 expected"):
        fixed_width(0, CPU)
