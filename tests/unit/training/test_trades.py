import pytest
import torch
from scipy.stats import entropy
from torch.nn import functional as F

from robusteval.training.trades import trades

IMAGES = torch.rand((16, 1, 4, 4), generator=torch.Generator().manual_seed(0))
LABELS = torch.arange(16) % 3


class Curved(torch.nn.Module):
    """A small network without randomness that keeps its batches and counts their gradients."""

    def __init__(self):
        super().__init__()
        weights = torch.linspace(0, 40, 16 * 3).view(16, 3).sin()
        self.weights = torch.nn.Parameter(2 * weights)
        self.seen = []

    def forward(self, images):
        self.seen.append(images.detach().clone())
        return (images.flatten(1) @ self.weights).tanh() * 3


def lost(done=1.0, **options):
    model = Curved()
    rng = torch.Generator().manual_seed(1)
    return trades(model, IMAGES, LABELS, rng=rng, done=done, **options), model


def divergence(model, attacked):
    p, q = (model(x).softmax(1).detach().numpy() for x in (IMAGES, attacked))
    return entropy(p, q, axis=1).mean()


def test_without_beta_it_is_standard_training():
    loss, model = lost(beta=0.0)
    expected = F.cross_entropy(model(IMAGES), LABELS)
    assert torch.equal(loss, expected)
    (gradient,) = torch.autograd.grad(loss, model.weights)
    (standard,) = torch.autograd.grad(expected, model.weights)
    assert torch.equal(gradient, standard)


@pytest.mark.parametrize("beta", [1.0, 6.0])
def test_beta_weighs_the_divergence_of_clean_from_attacked(beta):
    loss, model = lost(beta=beta)
    attacked = model.seen[-1]
    clean = F.cross_entropy(model(IMAGES), LABELS).item()
    expected = clean + beta * divergence(model, attacked)
    # Float32 logarithms against scipy's float64, beta times.
    assert loss.item() == pytest.approx(expected, abs=2e-6 * (1 + beta))
    assert expected - clean > 0.05  # there is something to weigh


def test_the_gradient_flows_through_both_predictions():
    loss, model = lost(beta=6.0)
    attacked = model.seen[-1]
    (found,) = torch.autograd.grad(loss, model.weights)
    log_p, log_q = (model(x).log_softmax(1) for x in (IMAGES, attacked))
    kl = (log_p.exp() * (log_p - log_q)).sum(1).mean()
    whole = F.cross_entropy(model(IMAGES), LABELS) + 6 * kl
    (expected,) = torch.autograd.grad(whole, model.weights)
    # Float32 sums of 16 images, in another order.
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=1e-4)


def test_attacked_images_keep_to_the_budget_and_differ_more_than_their_start():
    _, model = lost(eps=0.1, steps=7)
    start, attacked = model.seen[1], model.seen[-1]
    assert len(model.seen) == 9  # the clean images, seven steps, their end
    assert 0 < (start - IMAGES).abs().max() < 0.006  # five and more deviations of 0.001
    assert (attacked - IMAGES).abs().max() <= 0.1 + 1e-7  # float32 rounding of the ball's edge
    assert attacked.min() >= 0 and attacked.max() <= 1
    assert divergence(model, attacked) > 100 * divergence(model, start)


def test_the_budget_grows_during_the_warm_up():
    for done, budget in ((0.0, 0.0), (0.15, 0.05), (0.3, 0.1), (1.0, 0.1)):
        _, model = lost(done=done, eps=0.1, warm_up=0.3)
        largest = (model.seen[-1] - IMAGES).abs().max()
        assert float(largest) == pytest.approx(budget, abs=1e-6)  # float32
    _, model = lost(done=0.0, eps=0.1, warm_up=0.0)
    assert float((model.seen[-1] - IMAGES).abs().max()) == pytest.approx(0.1, abs=1e-6)
