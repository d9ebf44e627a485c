"""What defences by training show to the model, and how they weigh it."""

import pytest
import torch
import torch.nn.functional as F

from robusteval import plugins
from robusteval.shards import Shards
from robusteval.training._loop import train


class Kept(torch.nn.Module):
    """A linear model of 16 pixels and 2 classes that keeps each batch it is given."""

    def __init__(self, sign=1.0):
        super().__init__()
        weight = torch.linspace(-1, 1, 16)
        self.weight = torch.nn.Parameter(sign * torch.stack([weight, -weight], 1))
        self.seen = []

    def forward(self, images):
        self.seen.append(images.detach().clone())
        return images.flatten(1) @ self.weight


IMAGES = torch.full((8, 1, 4, 4), 0.5)
LABELS = torch.arange(8) % 2


def loss_of(method, model, seed=0, **options):
    rng = torch.Generator().manual_seed(seed)
    loss = plugins.load("training", method)
    return loss(model, IMAGES, LABELS, rng=rng, done=1.0, **options)


def test_logit_pairing_by_its_formula():
    model = Kept()
    value = loss_of("alp", model, eps=0.1, steps=3, weight=0.7)
    clean, moved = model.seen[-2:]
    assert torch.equal(clean, IMAGES)
    assert 0.09 < (moved - clean).abs().max() <= 0.1 + 1e-6  # float32 at the edge of the ball
    one, other = (x.flatten(1) @ model.weight for x in (clean, moved))
    expected = (F.cross_entropy(one, LABELS) + F.cross_entropy(other, LABELS)) / 2
    expected = expected + 0.7 * ((one - other) ** 2).mean()
    torch.testing.assert_close(value, expected, atol=1e-6, rtol=1e-6)  # float32 sums


def test_clean_images_weigh_what_they_should_in_pgd_training():
    model = Kept()
    mixed, alone = (loss_of("adversarial", model, clean_weight=w) for w in (0.25, 0.0))
    clean = F.cross_entropy(model(IMAGES), LABELS)
    torch.testing.assert_close(mixed, 0.75 * alone + 0.25 * clean, atol=1e-6, rtol=1e-6)  # float32


def test_an_ensemble_attacks_by_the_gradient_of_one_model_a_batch():
    model, other = Kept(), Kept(sign=-1.0)
    # Of a linear model of two classes the direction is known: away from the weights of the label.
    away = -(model.weight[:, 0] - model.weight[:, 1]).sign().detach()
    own = torch.stack([away if label == 0 else -away for label in LABELS]).view_as(IMAGES)
    seen = set()
    for seed in range(12):
        value = loss_of("ensemble", model, seed, others=[other], eps=0.1)
        moved, clean = model.seen[-2:]
        assert torch.equal(clean, IMAGES)
        sign = next(
            s for s in (1, -1) if torch.allclose(moved - clean, s * 0.1 * own, atol=1e-6)
        )  # float32
        seen.add(sign)
        logits = [x.flatten(1) @ model.weight for x in (clean, moved)]
        expected = sum(F.cross_entropy(x, LABELS) for x in logits) / 2
        torch.testing.assert_close(value, expected, atol=1e-6, rtol=1e-6)  # float32 sums
    assert seen == {1, -1}  # its own gradient, and the other's


def test_others_stay_as_they_are():
    other = Kept(sign=-1.0)
    before = other.weight.clone()
    loss_of("ensemble", Kept(), 1, others=[other]).backward()
    assert other.weight.grad is None and torch.equal(other.weight, before)


@pytest.mark.parametrize("method", ["alp", "ensemble"])
def test_a_killed_defence_ends_with_the_same_weights(tmp_path, method):
    images = torch.rand(64, 1, 4, 4, generator=torch.Generator().manual_seed(1))
    labels = (images.flatten(1)[:, :8].sum(1) > 4).long()
    options = {"others": [Kept()]} if method == "ensemble" else {"steps": 2}

    def trained(folder, progress=lambda _: None):
        model = Kept()
        train(
            model, images, labels,
            loss=lambda *a, **k: plugins.load("training", method)(*a, **k, **options),
            epochs=3, batch_size=16, optimiser="sgd", learning_rate=0.05, weight_decay=0.0,
            seed=1, checkpoints=Shards(folder, "key"), progress=progress,
        )  # fmt: skip
        return model.weight

    batches = []

    def kill(count):
        batches.append(count)
        if len(batches) == 8:
            raise KeyboardInterrupt

    whole = trained(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "killed", kill)
    assert torch.equal(whole, trained(tmp_path / "killed"))
