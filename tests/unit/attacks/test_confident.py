"""The confident attack against PGD of the same budget, and what its options do."""

import math

import pytest
import torch

from robusteval.attacks.confident import confident, log_odds, margin
from robusteval.attacks.pgd import pgd
from robusteval.batches import predict

SETTINGS = {
    "linf": {"eps": 0.03, "step_size": 0.005, "steps": 20},
    "l2": {"norm": "l2", "eps": 0.6, "step_size": 0.1, "steps": 20},
}
every_norm = pytest.mark.parametrize("norm", SETTINGS)


def sureness(model, images):
    """The largest softmax probability (N,) of each image."""
    return predict(model, images).double().softmax(1).amax(1)


@pytest.fixture(scope="module")
def both(model, images_and_labels, generators):
    """Runs PGD and the confident attack with the same settings and draws."""

    def run(settings, **options):
        ids = torch.arange(len(images_and_labels[1]))
        return (
            pgd(model, *images_and_labels, generators=generators(ids), **settings),
            confident(model, *images_and_labels, generators=generators(ids), **settings, **options),
        )

    return run


@every_norm
def test_whatever_pgd_turns_is_turned_and_surer(both, model, norm):
    plain, sure = both(SETTINGS[norm])
    # Up to its first wrong iterate an image walks PGD's way, so none is lost: the margin is 0.
    assert (sure.success >= plain.success).all()
    turned = plain.success
    assert 20 < turned.sum() < len(turned)
    gain = sureness(model, sure.images)[turned] - sureness(model, plain.images)[turned]
    # Seen: 0.059 (linf) and 0.070 (l2), and more on each of the images. Half of the smaller one is
    # asked for, and that no image loses more than a last step may swing: 0.001.
    assert gain.mean() > 0.03
    assert gain.min() > -1e-3


@every_norm
def test_it_costs_what_pgd_does(both, norm):
    plain, sure = both(SETTINGS[norm])
    assert torch.equal(plain.forwards, sure.forwards)
    assert torch.equal(plain.backwards, sure.backwards)


@every_norm
def test_what_is_never_wrong_ends_where_pgd_does(both, norm):
    plain, sure = both(SETTINGS[norm])
    failed = ~sure.success
    assert failed.any()
    assert torch.equal(plain.images[failed], sure.images[failed])


def test_the_best_iterate_is_kept_where_steps_are_too_long(model, images_and_labels):
    """Steps of the ball's own length swing from side to side, so that the last is seldom best."""
    settings = {"eps": 0.05, "step_size": 0.1, "random_start": False}
    runs = [confident(model, *images_and_labels, steps=s, **settings) for s in range(1, 7)]
    sure = torch.stack([sureness(model, run.images) for run in runs])
    turned = torch.stack([run.success for run in runs])
    assert turned[0].sum() > 20
    grown = sure[1:] - sure[:-1]
    # The pass that judged an iterate was at another place of a batch of the same width, where it
    # has the same bits; 1e-6 is for the float32 logarithm that ranks and the float64 one here.
    assert (grown[turned[:-1]] > -1e-6).all()
    kept = torch.stack([one.images for one in runs[1:]]) == torch.stack(
        [one.images for one in runs[:-1]]
    )
    assert kept.flatten(2).all(2).any()  # some later iterate was indeed worse


def test_the_score_that_is_asked_for_grows_most(both, model):
    def ahead(result):
        top = predict(model, result.images).double().topk(2, dim=1).values
        return (top[:, 0] - top[:, 1]).mean()

    _, by_odds = both(SETTINGS["l2"])
    _, by_margin = both(SETTINGS["l2"], score="margin")
    assert by_odds.success.equal(by_margin.success)
    assert ahead(by_margin) > ahead(by_odds)
    assert sureness(model, by_odds.images).mean() > sureness(model, by_margin.images).mean()


def test_log_odds_are_those_of_the_probability():
    logits = torch.tensor([[1.0, 2.0, 4.0], [0.0, 0.5, -1.0]])
    p = logits.double().softmax(1)[torch.arange(2), torch.tensor([2, 0])]
    # Float32 logits of size 4: a rounding is 2.4e-7.
    torch.testing.assert_close(
        log_odds(logits, torch.tensor([2, 0])).double(), (p / (1 - p)).log(), atol=1e-6, rtol=0
    )
    assert margin(logits, torch.tensor([2, 0])).tolist() == [2.0, -0.5]


def test_a_gradient_stays_where_the_probability_is_1():
    """The logarithm of a probability that rounds to 1 has none."""
    logits = torch.tensor([[0.0, 1.0, 60.0]], requires_grad=True)
    (gradient,) = torch.autograd.grad(log_odds(logits, torch.tensor([2])).sum(), logits)
    odds = math.e / (1 + math.e)  # of the two others, whose share of 1 is softmax of 0 and 1
    # Two roundings of numbers below 1, 6e-8 each.
    torch.testing.assert_close(gradient, torch.tensor([[odds - 1, -odds, 1.0]]), atol=2e-7, rtol=0)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"norm": "l1"}, "norm 'l1': one of linf, l2 expected"),
        ({"score": "energy"}, "score 'energy': one of max_softmax, margin expected"),
        ({"eps": -1}, "eps -1"),
        ({"step_size": 0}, "step_size 0"),
        ({"steps": 0}, "steps 0"),
        ({}, "a random start needs generators"),
    ],
)
def test_unusable_settings_are_refused(model, images_and_labels, wrong, message):
    with pytest.raises(ValueError, match=message):
        confident(model, *images_and_labels, **(SETTINGS["linf"] | wrong))
