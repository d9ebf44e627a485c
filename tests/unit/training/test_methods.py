"""What each training method shows to the model, and what the loop gives to a method."""

import numpy as np
import pytest
import torch

from robusteval import plugins
from robusteval.shards import Shards
from robusteval.training._loop import train


class Watched(torch.nn.Module):
    """A fixed linear model that keeps every batch it is given."""

    def __init__(self, pixels, classes):
        super().__init__()
        weights = torch.linspace(-1, 1, classes * pixels).view(classes, pixels).sin()
        self.weights = torch.nn.Parameter(weights)
        self.seen = []

    def forward(self, images):
        self.seen.append(images.detach().clone())
        return images.flatten(1) @ self.weights.T


def shown(method, images, labels, *, seed=0, done=1.0, **options):
    """Return the last batch that a method shows to a model, the model and the loss."""
    model = Watched(images[0].numel(), int(labels.max()) + 1)
    rng = torch.Generator().manual_seed(seed)
    loss = plugins.load("training", method)(model, images, labels, rng=rng, done=done, **options)
    return model.seen[-1], model, loss


def blended(seed, **options):
    """Return the shares (N, N) of 16 images in the batch that mixup makes of them, and the rest."""
    images = torch.eye(16).view(16, 1, 4, 4)  # image i is pixel i, so a share is a pixel's value
    batch, model, loss = shown("mixup", images, torch.arange(16) % 3, seed=seed, **options)
    return batch.flatten(1), model, loss


def test_mixup_weighs_the_targets_as_it_does_the_images():
    shares, model, loss = blended(seed=0, alpha=4.0)
    own = shares.diagonal().min()
    assert 0.1 < own < 0.9  # both targets matter
    targets = shares @ torch.nn.functional.one_hot(torch.arange(16) % 3, 3).float()
    logits = shares @ model.weights.T
    expected = -(targets * logits.log_softmax(1)).sum(1).mean()
    # A sum of 16 float32 terms of about 1.
    torch.testing.assert_close(loss, expected, atol=1e-6, rtol=1e-6)


def test_mixup_draws_one_weight_a_batch_mostly_near_the_ends():
    weights = []
    for seed in range(100):
        shares, _, _ = blended(seed)
        alone = shares.diagonal() > 1 - 1e-6  # its own partner
        own = shares.diagonal()[~alone]
        if len(own):
            assert (own - own[0]).abs().max() < 1e-6  # float32
            weights.append(float(own[0]))
    # Of Beta(0.2, 0.2), 0.67 lie within 0.1 of an end; of a uniform weight 0.2, of 0.5 none.
    assert np.mean(np.abs(np.array(weights) - 0.5) > 0.4) > 0.5
    assert min(weights) < 0.2 and max(weights) > 0.8


def test_each_image_has_noise_of_its_own_size():
    images = torch.full((200, 1, 16, 16), 0.5)
    batch, _, _ = shown("noise", images, torch.arange(200) % 2, sigma=0.1)
    sizes = (batch - images).flatten(1).std(1) / 0.1
    # Uniform in 0 to 1; the deviation of 256 values is known to 4%, and the mean of 200 uniform
    # numbers to 0.02, a fifth of the margin.
    assert sizes.min() < 0.1 and 0.9 < sizes.max() < 1.2
    assert abs(sizes.mean() - 0.5) < 0.1


@pytest.mark.parametrize(("done", "budget"), [(0.0, 0.0), (0.15, 0.05), (0.3, 0.1), (1.0, 0.1)])
def test_the_adversarial_budget_grows_during_the_warm_up(done, budget):
    images = torch.full((32, 1, 4, 4), 0.5)
    batch, _, _ = shown(
        "adversarial", images, torch.arange(32) % 2, done=done, eps=0.1, warm_up=0.3
    )
    change = (batch - images).abs().max()
    assert float(change) == pytest.approx(budget, abs=1e-7)  # float32 rounding at 0.5


def fitted(folder, loss, model, images=128, epochs=1, batch_size=32, learning_rate=0.1):
    train(
        model,
        torch.zeros(images, 1, 4, 4),
        torch.arange(images),
        loss=loss,
        epochs=epochs,
        batch_size=batch_size,
        optimiser="sgd",
        learning_rate=learning_rate,
        weight_decay=0.0,
        seed=1,
        checkpoints=Shards(folder, "key"),
        progress=lambda _: None,
    )


def test_sgd_looks_ahead_with_its_momentum(tmp_path):
    # Two steps of gradient 1 at learning rates 0.1 and 0.1 * 5 / 9. The momentum is 1, then 1.9;
    # Nesterov's update adds 0.9 of it to the gradient: 1.9, then 2.71.
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    fitted(tmp_path, lambda model, *_, **__: model.weight.sum(), model, images=64)
    expected = -(0.1 * 1.9 + 0.1 * 5 / 9 * 2.71)
    assert model.weight.item() == pytest.approx(expected, abs=1e-6)  # float32


@pytest.fixture
def steps(tmp_path):
    """Return what a method is given at each of 4 steps of 3 epochs: labels, draws, progress."""
    found = []

    def loss(model, images, labels, *, rng, done):
        found.append((labels.tolist(), torch.rand((), generator=rng).item(), done))
        return model.weight.sum()

    fitted(tmp_path, loss, torch.nn.Linear(1, 1), epochs=3)
    return found


def test_every_epoch_has_all_images_in_an_order_of_its_own(steps):
    orders = [[i for labels, _, _ in steps[e : e + 4] for i in labels] for e in (0, 4, 8)]
    assert all(sorted(order) == list(range(128)) for order in orders)
    assert all(order != list(range(128)) for order in orders)
    assert len({tuple(order) for order in orders}) == 3


def test_every_batch_of_every_epoch_has_draws_of_its_own(steps):
    assert len({draw for _, draw, _ in steps}) == 12


def test_a_method_knows_how_much_is_done(steps):
    assert [done for _, _, done in steps] == [step / 12 for step in range(12)]
