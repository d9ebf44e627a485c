import copy
import inspect
import random

import numpy as np
import pytest
import torch

from robusteval import plugins
from robusteval.seeds import generator
from robusteval.shards import Shards
from robusteval.training._loop import schedule, train

METHODS = plugins.names("training")
SETTINGS = {"epochs": 3, "batch_size": 32, "weight_decay": 0.0, "seed": 1}


def task():
    """Return 128 images whose left or right half is bright, and which one it is."""
    labels = torch.arange(128) % 2
    images = 0.3 * torch.from_numpy(generator(0, "task").random((128, 1, 4, 4))).float()
    images[labels == 0, :, :, :2] += 0.5
    images[labels == 1, :, :, 2:] += 0.5
    return images, labels


def model():
    torch.manual_seed(0)
    return torch.nn.Sequential(
        torch.nn.Conv2d(1, 4, 3),
        torch.nn.BatchNorm2d(4),
        torch.nn.Flatten(),
        torch.nn.Linear(16, 2),
    )


def loss_of(method):
    """Return the loss of a method; one that attacks others attacks an untrained network."""
    loss = plugins.load("training", method)
    if "others" not in inspect.signature(loss).parameters:
        return loss

    def with_other(network, images, labels, **options):
        with torch.random.fork_rng():
            torch.manual_seed(3)
            layers = torch.nn.Flatten(), torch.nn.Linear(images[0].numel(), int(labels.max()) + 1)
            other = torch.nn.Sequential(*layers).requires_grad_(False)
        return loss(network, images, labels, others=[other], **options)

    return with_other


def trained(folder, method="standard", optimiser="sgd", progress=lambda _: None, **settings):
    network = model()
    images, labels = task()
    train(
        network,
        images,
        labels,
        loss=loss_of(method),
        optimiser=optimiser,
        learning_rate=0.05,
        checkpoints=Shards(folder, "key"),
        progress=progress,
        **{**SETTINGS, **settings},
    )
    return network


def weights(network):
    return torch.cat([t.double().flatten() for t in network.state_dict().values()])


@pytest.mark.parametrize("method", METHODS)
def test_a_method_learns_the_task(tmp_path, method):
    images, labels = task()
    network = trained(tmp_path, method, epochs=5)
    assert (network(images).argmax(1) == labels).float().mean() > 0.9


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_weights(tmp_path, method):
    first, second = trained(tmp_path / "a", method), trained(tmp_path / "b", method)
    other = trained(tmp_path / "c", method, seed=2)
    assert torch.equal(weights(first), weights(second))
    assert not torch.equal(weights(first), weights(other))


@pytest.mark.parametrize("optimiser", ["sgd", "adamw"])
@pytest.mark.parametrize("after", [1, 5, 9])  # batches: in the first, second and third epoch
def test_a_killed_training_ends_with_the_same_weights(tmp_path, optimiser, after):
    whole = trained(tmp_path / "whole", optimiser=optimiser)
    batches = []

    def kill(images):
        batches.append(images)
        if images and len(batches) == after + 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "killed", optimiser=optimiser, progress=kill)
    steps = []
    resumed = trained(tmp_path / "killed", optimiser=optimiser, progress=steps.append)
    assert torch.equal(weights(whole), weights(resumed))
    assert len(steps[1:]) == 4 * (3 - after // 4)  # only the epochs that were not finished


def method_loss(method, network, images, labels, done=1.0):
    """Return the loss of a method on draws that are always the same."""
    rng = torch.Generator().manual_seed(5)
    return loss_of(method)(network, images, labels, rng=rng, done=done)


@pytest.mark.parametrize("method", METHODS)
def test_a_method_lowers_its_own_loss(tmp_path, method):
    images, labels = task()
    before = method_loss(method, model(), images, labels)
    after = method_loss(method, trained(tmp_path, method, epochs=5).train(), images, labels)
    assert after < 0.8 * before  # blended targets have an entropy that no model goes below


@pytest.mark.parametrize("method", METHODS)
def test_draws_are_those_of_the_generator_and_no_others(method):
    def state():
        return torch.get_rng_state().tolist(), str(np.random.get_state()), random.getstate()

    images, labels = task()
    network, losses = model(), []
    for seed in (1, 2):
        torch.manual_seed(seed)
        np.random.seed(seed)
        random.seed(seed)
        before = state()
        losses.append(method_loss(method, copy.deepcopy(network), images, labels))
        assert state() == before
    assert torch.equal(*losses)


@pytest.mark.parametrize("method", METHODS)
def test_a_method_takes_colour_images_that_are_not_square(method):
    images = torch.rand((6, 3, 7, 10), generator=torch.Generator().manual_seed(0))
    network = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(210, 3))
    loss = method_loss(method, network, images, torch.arange(6) % 3)
    loss.backward()
    assert loss.shape == () and torch.isfinite(loss)
    assert all(weight.grad.abs().max() > 0 for weight in network.parameters())


def test_methods_do_not_change_the_images():
    images, labels = task()
    before = images.clone()
    for method in METHODS:
        rng = torch.Generator().manual_seed(0)
        loss_of(method)(model(), images, labels, rng=rng, done=0.5)
    assert torch.equal(images, before)


def test_adversarial_training_raises_the_loss_within_its_budget():
    network = copy.deepcopy(model()).eval()
    seen = []
    network.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0].detach()))
    images, labels = task()
    attack = plugins.load("training", "adversarial")
    rng = torch.Generator().manual_seed(0)
    loss = attack(network, images, labels, rng=rng, done=1.0, eps=0.1)
    assert loss > torch.nn.functional.cross_entropy(network(images), labels)
    last = seen[1]
    assert (last - images).abs().max() <= 0.1 + 1e-7  # float32 rounding of the ball's edge
    assert last.min() >= 0 and last.max() <= 1


def test_the_learning_rate_rises_and_falls():
    rates = [schedule(step, 100) for step in range(100)]
    assert rates.index(max(rates)) == 9 and max(rates) == 1.0
    assert rates[0] == 0.1 and rates[-1] < 0.02


def test_too_few_images_for_a_batch(tmp_path):
    with pytest.raises(ValueError, match="batch size 256 with 128 images: no whole batch"):
        trained(tmp_path, batch_size=256)
