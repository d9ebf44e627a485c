import pytest
from torch import nn

from robusteval.neurons._layers import layers_of
from robusteval.transformations._defended import Defended


def test_by_default_convolutions_and_dense_layers(network):
    assert list(layers_of(network)) == ["conv1", "conv2", "head"]


def test_by_name_in_the_order_of_the_model(network):
    assert list(layers_of(network, names=["relu", "conv*"])) == ["conv1", "conv2", "relu"]
    assert layers_of(network, names=["conv1"])["conv1"] is network.conv1


def test_by_type(network):
    assert list(layers_of(network, types=["ReLU"])) == ["relu"]


@pytest.mark.parametrize("asked", [{}, {"names": ["conv1", "h*"]}, {"types": ["ReLU"]}])
def test_a_model_behind_a_transformation_has_the_layers_of_its_twin(network, asked):
    behind = Defended(network, transformation="jpeg", gradient="around")
    assert layers_of(behind, **asked) == layers_of(network, **asked)
    with pytest.raises(ValueError, match=r"layer 'conv3': there is none; .* conv1, conv2, relu"):
        layers_of(behind, names=["conv3"])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"names": ["conv3"]}, r"layer 'conv3': there is none; .* conv1, conv2, relu, head$"),
        ({"names": []}, "no layer named; expected one or several of conv1"),
        ({"types": ["Block"]}, r"no layer of type Block: .* Conv2d, Linear, ReLU$"),
    ],
)
def test_a_layer_that_is_not_there_is_answered_with_those_that_are(network, asked, message):
    with pytest.raises(ValueError, match=message):
        layers_of(network, **asked)


def test_a_model_without_layers_says_so():
    with pytest.raises(ValueError, match="the model has no layers"):
        layers_of(nn.Identity())
