"""What every probe promises, whatever it reads."""

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from robusteval import plugins
from robusteval.models._errors import ModelError

SMALL = {"batches": 5, "samples": 15}  # 75 points fill no whole number of passes
EVERYTHING = {"norm": ["l1", "linf"], "target": ["random", "untargeted"]}
NOISES = {
    "normal": {"kind": "gaussian", "sd": 0.1},
    "even": {"kind": "uniform", "eps": 0.05},
    "pgd": {"kind": "attack", "name": "pgd", "eps": 0.05, "step_size": 0.02, "steps": 3},
}
EBD = {"sides": ["one", "two"], "directions": 75, "magnitudes": 20}
SETTINGS = {
    "clever": {
        "released": SMALL | EVERYTHING,
        "art": SMALL | {"sampling": "art", "norm": "linf", "radius": 0.2, "pool": 3},
    },
    "ebd": {
        "both": EBD,
        "bisect": EBD | {"search": "bisect"},
    },
    "ebd_2": {
        "any": {"step_size": 0.004, "steps": 12},
        "classes": {"step_size": 0.004, "steps": 12, "per_class": True, "reference": "label"},
    },
    "neuron_sensitivity": {
        "layers": {"noises": NOISES},
        "neurons": {"noises": NOISES, "types": ["Tanh", "MaxPool2d"], "per_neuron": True},
    },
    "neuron_uncertainty": {"all": {}},
    "noise_insensitivity": {"drawn_and_attacked": {"noises": NOISES}},
}
CASES = [
    pytest.param(name, settings, id=f"{name}-{case}")
    for name, cases in SETTINGS.items()
    for case, settings in cases.items()
]
pytestmark = pytest.mark.usefixtures("few_searches")
every_probe = pytest.mark.parametrize(("name", "settings"), CASES)


@pytest.fixture
def probe(network, images, labels, generators):
    """Runs a probe on the images at these positions."""

    def run(name, settings, ids=None, *, model=network, images=images, **options):
        ids = torch.arange(len(images)) if ids is None else torch.as_tensor(ids)
        return plugins.load("probes", name)(
            model, images[ids], labels[ids], generators=generators(ids), **settings, **options
        )

    return run


def same(one, other, ids=None):
    """Whether ``other`` holds the very bits of what ``one`` says about the images ``ids``."""
    if ids is not None:
        parts = [one[one["row"] == int(i)].assign(row=n) for n, i in enumerate(ids)]
        one = pd.concat(parts, ignore_index=True)
    pd.testing.assert_frame_equal(one, other, check_exact=True)
    return True


def test_every_probe_is_here():
    assert sorted(SETTINGS) == plugins.names("probes")


@every_probe
def test_readings_name_their_image(probe, images, name, settings):
    readings = probe(name, settings)
    assert set(readings["row"]) <= {-1, *range(len(images))}
    assert len(readings) > 0


@every_probe
def test_same_input_same_bits(probe, name, settings):
    assert same(probe(name, settings), probe(name, settings))


@every_probe
def test_order_and_neighbours_do_not_matter(probe, name, settings):
    whole = probe(name, settings)
    for ids in ([7, 6, 5, 4, 3, 2, 1, 0], [4], [2, 2, 0]):
        assert same(whole, probe(name, settings, ids), ids)


@every_probe
@pytest.mark.parametrize("batch_size", [1, 16, 33, 64, 256])
def test_batch_size_does_not_matter(probe, name, settings, batch_size):
    assert same(probe(name, settings), probe(name, settings, batch_size=batch_size))


@every_probe
def test_memory_layout_does_not_matter(probe, images, name, settings):
    turned = images.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)
    assert same(probe(name, settings), probe(name, settings, images=turned))


@every_probe
def test_input_and_model_are_not_changed(probe, network, images, name, settings):
    before = images.clone(), {k: v.clone() for k, v in network.state_dict().items()}
    probe(name, settings)
    assert torch.equal(images, before[0])
    assert all(torch.equal(v, before[1][k]) for k, v in network.state_dict().items())
    assert all(p.grad is None and p.requires_grad for p in network.parameters())


@every_probe
def test_global_randomness_is_left_alone(probe, name, settings):
    torch_before, numpy_before = torch.get_rng_state(), np.random.get_state()[1].copy()
    probe(name, settings)
    assert torch.equal(torch.get_rng_state(), torch_before)
    assert np.array_equal(np.random.get_state()[1], numpy_before)


@every_probe
def test_progress_counts_the_images(probe, images, name, settings):
    done = []
    probe(name, settings, progress=done.append)
    assert sum(done) == len(images)


@every_probe
def test_a_model_that_says_nan_is_refused(probe, network, name, settings):
    class Spoilt(nn.Module):
        def forward(self, x):
            return network(x) * torch.nan

    with pytest.raises(ModelError, match="NaN"):
        probe(name, settings, model=Spoilt().eval())
