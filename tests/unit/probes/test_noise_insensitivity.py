import math

import numpy as np
import pytest
import torch
from torch import nn

from robusteval.metrics.eni import eni
from robusteval.models._errors import ModelError
from robusteval.probes import noise_insensitivity as module
from robusteval.probes.noise_insensitivity import noise_insensitivity
from robusteval.seeds import generator

EVEN = {"kind": "uniform", "eps": 0.05}


class Line(nn.Module):
    """Logits 0 and 4 (x - 0.5) of an image of one value."""

    def forward(self, x):
        flat = x.flatten(1)[:, 0]
        return torch.stack([0 * flat, 4 * (flat - 0.5)], 1)


def test_end_to_end_by_hand(monkeypatch):
    copies = {"down": 0.65, "up": 0.8}
    monkeypatch.setattr(
        module, "noisy", lambda _m, x, _y, _k, label, *_: torch.full_like(x, copies[label])
    )
    found = noise_insensitivity(
        Line().eval(),
        torch.full((1, 1, 1, 1), 0.75),
        torch.ones(1, dtype=torch.int64),
        generators=[generator(0)],
        noises=dict.fromkeys(copies, EVEN),
    )
    # Logits are float32 of pixels known to 6e-8, multiplied by four; divided by 0.05 and more.
    assert found["loss"].to_list() == pytest.approx([0.3132616875] * 2, abs=1e-6)
    assert found["noisy_loss"].to_list() == pytest.approx([0.4374879505, 0.2632824673], abs=1e-6)
    assert found["insensitivity"].mean() == pytest.approx(1.1209235166, abs=1e-5)
    columns = (found[c].to_numpy() for c in ("loss", "noisy_loss", "distance"))
    assert eni(*columns) == pytest.approx(found["insensitivity"].mean(), rel=1e-15)


def probed(network, images, labels, generators, noises):
    return noise_insensitivity(
        network, images, labels, generators=generators(range(len(images))), noises=noises
    )


def test_each_kind_of_noise_is_as_large_as_it_says(network, images, labels, generators):
    noises = {
        "normal": {"kind": "gaussian", "sd": 0.02},
        "even": EVEN,
        "fgsm": {"kind": "attack", "name": "fgsm", "eps": 0.03},
    }
    found = probed(network, images, labels, generators, noises)
    largest = {name: d.to_numpy() for name, d in found.groupby("noise")["distance"]}
    # Of 192 normal numbers the largest is between 2 and 6 standard deviations, but by 1e-3 and
    # 4e-7; of 192 even ones beyond 0.9 of the bound, but by 2e-9. Pixels are known to 6e-8.
    assert ((largest["normal"] > 0.04) & (largest["normal"] < 0.12)).all()
    assert ((largest["even"] > 0.045) & (largest["even"] < 0.05 + 1e-6)).all()
    assert largest["fgsm"] == pytest.approx(0.03, abs=1e-6)
    assert found["noise"].to_list() == list(noises) * 8
    fgsm = found[found["noise"] == "fgsm"]
    assert (fgsm["noisy_loss"] > fgsm["loss"]).all()


def test_other_noises_change_nothing(network, images, labels, generators):
    both = probed(
        network, images, labels, generators, {"a": {"kind": "gaussian", "sd": 0.1}, "even": EVEN}
    )
    alone = probed(network, images, labels, generators, {"even": EVEN})
    assert both[both["noise"] == "even"].reset_index(drop=True).equals(alone)


def test_a_corruption_is_that_of_its_family(generators):
    images = torch.rand(2, 1, 28, 28, generator=torch.Generator().manual_seed(0))
    images = (images * 255).round() / 255
    model = nn.Sequential(nn.Flatten(), nn.Linear(784, 3)).eval()
    noise = {"kind": "corruption", "name": "brightness", "severity": 1, "family": "mnist_c"}
    found = probed(model, images, torch.zeros(2).long(), generators, {"bright": noise})
    assert (found["distance"] > 0.1).all() and (found["status"] == "ok").all()


def test_a_copy_that_is_the_image_is_told(network, images, labels, generators):
    found = probed(network, images, labels, generators, {"none": {"kind": "uniform", "eps": 0.0}})
    assert set(found["status"]) == {"not changed"} and found["insensitivity"].isna().all()
    assert found["loss"].equals(found["noisy_loss"].rename("loss"))


def test_noisy_logits_that_are_not_finite_are_told(generators):
    class Hole(nn.Module):
        def forward(self, x):
            flat = x.flatten(1)
            return torch.stack([flat.sum(1), (0.5 - flat.amax(1)).sqrt()], 1)

    images = torch.full((2, 1, 2, 2), 0.5)
    images[1] = 0.1
    found = probed(Hole().eval(), images, torch.zeros(2).long(), generators, {"even": EVEN})
    assert found["status"].to_list() == ["logits not finite", "ok"]
    assert math.isnan(found["insensitivity"][0]) and math.isnan(found["noisy_loss"][0])


def test_an_attack_on_a_model_without_gradients_is_refused(images, labels, generators, network):
    class Hard(nn.Module):
        def forward(self, x):
            return network(x.detach()).detach()

    attack = {"fgsm": {"kind": "attack", "name": "fgsm", "eps": 0.1}}
    with pytest.raises(ModelError, match=r"no gradient .*: the attack fgsm needs one"):
        probed(Hard().eval(), images, labels, generators, attack)
    assert len(probed(Hard().eval(), images, labels, generators, {"even": EVEN})) == 8


@pytest.mark.parametrize(
    ("noises", "message"),
    [
        ({}, "no noise: expected at least one"),
        ({"a": {"kind": "loud"}}, "noise 'a': kind 'loud', one of gaussian, uniform, corruption"),
        ({"a": {"kind": "gaussian"}}, "noise 'a': keys none; a gaussian has sd"),
        ({"a": {**EVEN, "sd": 1}}, "noise 'a': keys eps, sd; a uniform has eps"),
        ({"a": {"kind": "attack"}}, "noise 'a': keys none; a attack has name"),
        ({"a": {"kind": "attack", "name": "best"}}, "unknown attacks 'best'"),
    ],
)
def test_noise_that_cannot_be_used_is_named(network, images, labels, generators, noises, message):
    with pytest.raises(ValueError, match=message):
        probed(network, images, labels, generators, noises)


def test_generators_are_needed(network, images, labels):
    with pytest.raises(ValueError, match="generators needed, one for each of 8 images"):
        noise_insensitivity(network, images, labels, generators=None, noises={"a": EVEN})


def test_default_noises_run(network, images, labels, generators):
    found = noise_insensitivity(network, images, labels, generators=generators(range(8)))
    assert found["noise"].nunique() == 3 and np.isfinite(found["insensitivity"]).all()
