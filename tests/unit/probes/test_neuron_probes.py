import pytest
import torch
from torch import nn

from robusteval.metrics import neuron_sensitivity as sensitivity_metric
from robusteval.metrics.neuron_uncertainty import neuron_uncertainty as variance
from robusteval.probes import neuron_sensitivity as module
from robusteval.probes.neuron_sensitivity import neuron_sensitivity
from robusteval.probes.neuron_uncertainty import neuron_uncertainty

EVEN = {"even": {"kind": "uniform", "eps": 0.05}}


@pytest.fixture
def doubled(monkeypatch):
    """Makes noise that doubles an image."""
    monkeypatch.setattr(module, "noisy", lambda _m, x, *_: 2 * x)


class TwoLayers(nn.Module):
    """A layer of two channels, which hands on the image and the image times four, and a sum."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 1, bias=False)
        self.head = nn.Linear(8, 2, bias=False)
        with torch.no_grad():
            self.conv.weight.copy_(torch.tensor([1.0, 4.0]).view(2, 1, 1, 1))
            self.head.weight.copy_(torch.tensor([[1.0] * 4 + [0.0] * 4, [0.0] * 8]))

    def forward(self, x):
        return self.head(self.conv(x).flatten(1))


X = torch.tensor([[0.1, 0.2, 0.3, 0.4], [0.0, 0.0, 0.0, 0.4]]).view(2, 1, 2, 2)
ZEROS = torch.zeros(2, dtype=torch.int64)


@pytest.mark.usefixtures("doubled")
def test_sensitivity_by_hand(generators):
    found = neuron_sensitivity(
        TwoLayers().eval(), X, ZEROS, generators=generators([0, 1]), noises=EVEN, per_neuron=True
    )
    by = found.set_index(["row", "layer", "neuron"])["sensitivity"]
    # Doubling changes each value by itself: means 0.25 and 0.1. Float32 sums of four numbers.
    for row, mean in ((0, 0.25), (1, 0.1)):
        assert by[row, "conv", 0] == pytest.approx(mean, rel=1e-6)
        assert by[row, "conv", 1] == pytest.approx(4 * mean, rel=1e-6)
        assert by[row, "conv", -1] == pytest.approx(2.5 * mean, rel=1e-6)
        assert by[row, "head", -1] == pytest.approx(4 * mean / 2, rel=1e-6)
    assert found["layer"].to_list() == (["conv"] * 3 + ["head"] * 3) * 2
    assert set(found["neurons"]) == {2}


def test_sensitivity_is_the_metric_of_the_activations(network, images, labels, generators):
    found = neuron_sensitivity(
        network,
        images,
        labels,
        generators=generators(range(8)),
        noises=EVEN,
        layers=["0"],
        per_neuron=True,
    )
    copies = module.noisy(
        network, images, labels, module.keys_of(generators(range(8)), 8), "even", EVEN["even"], 64
    )
    with torch.no_grad():
        before, after = (network[0](x).flatten(2).numpy() for x in (images, copies))
    expected = sensitivity_metric.neuron_sensitivity(before, after)
    own = found[found["neuron"] >= 0].groupby("neuron")["sensitivity"].mean()
    # Float32 activations of passes of another width: some 1e-7 of values of about 1.
    assert own.to_numpy() == pytest.approx(expected, abs=1e-6)
    layer = found[found["neuron"] == -1]["sensitivity"].mean()
    assert layer == pytest.approx(expected.mean(), abs=1e-6)


def test_uncertainty_by_hand():
    found = neuron_uncertainty(TwoLayers().eval(), X, ZEROS)
    table = found.pivot(index="row", columns=["layer", "neuron"], values="activation")
    # Means 0.25 and 0.1 in one channel, four times that in the other: variances 0.075^2 and so on,
    # of pixels in float32.
    assert variance(table["conv"].to_numpy()) == pytest.approx([0.075**2, 0.3**2], rel=1e-5)
    assert variance(table["head"].to_numpy()) == pytest.approx([0.3**2, 0], rel=1e-5)


@pytest.mark.parametrize("probe", [neuron_sensitivity, neuron_uncertainty])
def test_a_layer_that_is_not_there_is_answered_with_those_that_are(
    probe, network, images, labels, generators
):
    with pytest.raises(ValueError, match=r"layer '9': there is none; .* of 0, 1, 2, 3, 4, 5, 6, 7"):
        probe(network, images, labels, generators=generators(range(8)), layers=["9"])
