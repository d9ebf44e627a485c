"""A defended model: one verdict an image, and the gradients that adaptive attacks take."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from robusteval.attacks.pgd import pgd
from robusteval.batches import predict
from robusteval.checks._subject import subject_of
from robusteval.checks.batch_size import batch_size
from robusteval.checks.gradient import gradient
from robusteval.checks.randomness import randomness
from robusteval.seeds import generator
from robusteval.transformations import resize_pad
from robusteval.transformations._defended import Defended, _numbers
from robusteval.transformations._words import words
from robusteval.transformations.jpeg import jpeg, smooth

COUNT = 40


@pytest.fixture(scope="module")
def task():
    """Return a network of any size and 40 images (40, 1, 16, 16) that it tells apart."""
    draws = torch.Generator().manual_seed(1)
    labels = torch.arange(COUNT) % 3
    images = 0.25 * torch.rand(COUNT, 1, 16, 16, generator=draws)
    for i, label in enumerate(labels.tolist()):
        images[i, :, 2 + 4 * label : 6 + 4 * label] += 0.3
    images = (images * 255).round() / 255
    with torch.random.fork_rng():
        torch.manual_seed(2)
        network = nn.Sequential(
            nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.AdaptiveAvgPool2d(4), nn.Flatten(),
            nn.Linear(96, 3),
        )  # fmt: skip
    optimiser = torch.optim.Adam(network.parameters(), lr=0.02)
    for _ in range(60):
        optimiser.zero_grad()
        F.cross_entropy(network(images), labels).backward()
        optimiser.step()
    return network.eval().requires_grad_(False), images, labels


DEFENCES = {
    "around_jpeg": {"transformation": "jpeg", "gradient": "around", "arguments": {"quality": 40}},
    "through_jpeg": {"transformation": "jpeg", "gradient": "through", "arguments": {"quality": 40}},
    "resize_pad": {"transformation": "resize_pad", "gradient": "through", "draws": 4},
}
every_defence = pytest.mark.parametrize("defence", DEFENCES.values(), ids=DEFENCES)


def defended(network, defence):
    return Defended(network, **defence).eval()


@every_defence
def test_logits_do_not_depend_on_batch_or_order(task, defence):
    network, images, _ = task
    model = defended(network, defence)
    whole = predict(model, images)
    assert not torch.equal(whole, predict(network, images))
    order = torch.randperm(COUNT, generator=torch.Generator().manual_seed(3))
    assert torch.equal(predict(model, images[order]), whole[order])
    for size in (1, 7):
        parts = [predict(model, part, batch_size=size) for part in images.split(size)]
        assert torch.equal(torch.cat(parts), whole)


@every_defence
def test_what_an_attack_sees_is_what_the_model_says(task, defence):
    network, images, _ = task
    model = defended(network, defence)
    x = images[:16].clone().requires_grad_()
    assert torch.equal(model(x).detach(), predict(model, images[:16], batch_size=16))


def slope(model, x, weights):
    x = x.clone().requires_grad_()
    return torch.autograd.grad((model(x) * weights).sum(), x)[0]


WEIGHTS = torch.tensor([1.0, -2.0, 0.5])


def test_around_is_the_gradient_at_what_the_network_sees(task):
    network, images, _ = task
    model = defended(network, DEFENCES["around_jpeg"])
    seen = jpeg(images[:16], torch.zeros(16, 0), quality=40)
    assert torch.equal(slope(model, images[:16], WEIGHTS), slope(network, seen, WEIGHTS))


def test_through_is_that_gradient_taken_back(task):
    network, images, _ = task
    model = defended(network, DEFENCES["through_jpeg"])
    none = torch.zeros(16, 0)
    there = slope(network, jpeg(images[:16], none, quality=40), WEIGHTS)
    x = images[:16].clone().requires_grad_()
    (expected,) = torch.autograd.grad(smooth(x, none, quality=40), x, there)
    assert torch.equal(slope(model, images[:16], WEIGHTS), expected)


def test_the_gradient_of_a_random_one_is_the_mean_over_draws(task):
    network, images, _ = task
    model = defended(network, DEFENCES["resize_pad"])
    numbers = _numbers(images[:16], 5, 3)
    own = [
        slope(lambda x, n=n: network(resize_pad.resize_pad(x, n)), images[:16], WEIGHTS)
        for n in numbers[1:]
    ]
    # Sums of four float32 numbers in another order.
    torch.testing.assert_close(
        slope(model, images[:16], WEIGHTS), torch.stack(own).mean(0), atol=1e-6, rtol=1e-5
    )
    assert (own[0] - own[1]).abs().max() > 1e-3  # there is something to average


def test_draws_follow_from_the_pixels(task):
    _, images, _ = task
    numbers = _numbers(images, 2, 3)
    assert torch.equal(_numbers(images[5:6], 2, 3)[:, 0], numbers[:, 5])
    moved = images.clone()
    moved[5, 0, 0, 0] += 1 / 255
    changed = (_numbers(moved, 2, 3) != numbers).any(2).any(0)
    assert changed.nonzero().flatten().tolist() == [5]


@every_defence
def test_an_adaptive_attack_is_no_weaker_than_one_on_the_network_alone(task, defence):
    network, images, labels = task
    model = defended(network, defence)
    settings = {"eps": 0.12, "step_size": 0.02, "steps": 12}
    draws = lambda: [generator("defended", i) for i in range(COUNT)]  # noqa: E731
    made = pgd(model, images, labels, generators=draws(), **settings)
    verdict = predict(model, made.images).argmax(1) != labels
    assert torch.equal(made.success, verdict)
    again = pgd(model, images, labels, generators=draws(), batch_size=16, **settings)
    assert torch.equal(made.images, again.images)
    naive = pgd(network, images, labels, generators=draws(), **settings)
    moved = predict(model, naive.images).argmax(1) != labels
    assert verdict.sum() > COUNT / 4
    # Through JPEG, the slope of rounding is 0 where a coefficient is whole: most are, at 0.
    assert verdict.sum() >= moved.sum() or defence == DEFENCES["through_jpeg"]


@every_defence
def test_checks_stay_right(task, defence):
    network, images, labels = task
    pixels = (images * 255).round().byte().permute(0, 2, 3, 1).numpy()
    card = {"classes": ["a", "b", "c"], "defence": defence}
    subject = subject_of(
        defended(network, defence), pixels, labels.numpy().astype(np.int64), card=card
    )
    assert randomness(subject).verdict == "ok"  # draws follow from the image
    assert batch_size(subject).verdict == "ok"
    found = gradient(subject)
    assert found.verdict == "look"
    assert words(defence) in found.found


def test_a_vanishing_gradient_is_not_excused_by_a_defence(task):
    _, images, labels = task
    flat = nn.Sequential(nn.Flatten(), nn.Linear(256, 3)).eval().requires_grad_(False)
    flat[1].weight.zero_()
    pixels = (images * 255).round().byte().permute(0, 2, 3, 1).numpy()
    defence = DEFENCES["around_jpeg"]
    card = {"classes": ["a", "b", "c"], "defence": defence}
    subject = subject_of(defended(flat, defence), pixels, labels.numpy(), card=card)
    assert gradient(subject).verdict == "wrong"


def test_impossible_settings_are_refused(task):
    network, images, _ = task
    with pytest.raises(ValueError, match="gradient 'none': one of through, around"):
        Defended(network, transformation="jpeg", gradient="none")
    with pytest.raises(ValueError, match="draws 3: 1 expected, as jpeg draws nothing"):
        Defended(network, transformation="jpeg", gradient="around", draws=3)
    with pytest.raises(ValueError, match="draws 0: at least 1"):
        Defended(network, transformation="resize_pad", gradient="through", draws=0)
    model = Defended(network, transformation="resize_pad", gradient="around")
    with pytest.raises(ValueError, match="no gradient leads around that"):
        model(images.clone().requires_grad_())


def test_in_words():
    assert words(DEFENCES["around_jpeg"]) == "around jpeg"
    assert words(DEFENCES["resize_pad"]) == "through resize_pad, mean of 4 draws"
