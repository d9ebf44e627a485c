"""AutoAttack against the package itself, one image at a time, and what it refuses."""

import threading

import pytest
import torch
from pyautoattack import AutoAttack
from torch import nn

from robusteval.attacks._standard import attacks
from robusteval.attacks.autoattack import autoattack
from robusteval.batches import padded, predict
from robusteval.models._errors import ModelError

SHORT = {"target_classes": 3, "steps": 4, "queries": 10}


class Wide(nn.Module):
    """The model at the width of all passes, for images one at a time."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        return self.model(padded(x, 64))[: len(x)]


@pytest.fixture(scope="module")
def large():
    """A network of five classes and 12 images (12, 1, 20, 20), all of which it gets right."""
    with torch.random.fork_rng():
        torch.manual_seed(4)
        network = nn.Sequential(
            nn.Conv2d(1, 6, 3, stride=2), nn.ReLU(), nn.Flatten(), nn.Linear(486, 5)
        ).eval()
        images = torch.rand(12, 1, 20, 20)
    return network, images, predict(network, images).argmax(1)


def by_the_package(model, x, label, norm, eps, seed):
    """What the package's own evaluation makes of one image with SHORT settings."""
    name = {"linf": "Linf", "l2": "L2"}[norm]
    whole = AutoAttack(
        Wide(model), attacks=["apgd-ce", "apgd-t", "fab-t", "square"],
        version="custom", norm=name, eps=eps, seed=seed,
    )  # fmt: skip
    for part in (whole.apgd, whole.apgd_targeted):  # it has no other way to shorten a run
        part.__init__(
            part.model, n_iter=4, norm=name, eps=eps, seed=seed, device="cpu", logger=whole.logger
        )
    whole.fab.n_iter, whole.fab.n_target_classes, whole.square.n_queries = 4, 3, 10
    whole.apgd_targeted.n_target_classes = 3
    found, _ = whole.run_standard_evaluation(x, label, batch_size=1)
    return found


@pytest.mark.parametrize(("norm", "eps"), [("linf", 0.01), ("l2", 0.1)])
def test_an_image_comes_to_what_the_package_makes_of_it_alone(large, generators, norm, eps):
    network, images, labels = large
    ids = torch.arange(12)
    result = autoattack(
        network, images, labels, generators=generators(ids), eps=eps, norm=norm, **SHORT
    )
    assert 0 < result.success.sum() < 12
    for i, generator in enumerate(generators(ids)):
        seed = int(generator.integers(2**31))
        x = images[i : i + 1]
        found = by_the_package(network, x, labels[i : i + 1], norm, eps, seed)
        if result.success[i]:
            assert torch.equal(result.images[i : i + 1], found)
        else:
            assert torch.equal(found, x)  # the package hands back the clean image
            assert not torch.equal(result.images[i : i + 1], x)
    if norm == "l2":
        length = (result.images.double() - images.double()).flatten(1).norm(dim=1)
        # a sum of 400 squares and a product in float32: relative 1e-6; a pixel is rounded by at
        # most 2^-25, which adds up to 2^-25 * sqrt(400) = 6e-7
        assert length.max() <= eps * (1 + 1e-6) + 6e-7


def test_the_defaults_are_the_packages_standard_version():
    ours = attacks(
        None, eps=0.1, norm="linf", target_classes=9, steps=100, queries=5000, seed=3
    )  # fmt: skip
    whole = AutoAttack(None, norm="Linf", eps=0.1, seed=3, version="standard")
    assert whole.attacks_to_run == ["apgd-ce", "apgd-t", "fab-t", "square"]
    whole.fab.targeted = True  # as its evaluation does before it runs fab-t
    theirs = [whole.apgd, whole.apgd_targeted, whole.fab, whole.square]
    for own, part in zip(ours, theirs, strict=True):
        values = vars(part) | {"device": torch.device("cpu")}
        assert type(own) is type(part)
        for key in vars(own).keys() - {"logger"}:
            assert vars(own)[key] == values[key], key


def test_global_generators_and_threads_are_left_as_they_were(large, generators):
    network, images, labels = large
    state, threads = torch.get_rng_state(), threading.active_count()
    autoattack(network, images, labels, generators=generators(labels), eps=0.01, **SHORT)
    assert torch.equal(torch.get_rng_state(), state)
    assert threading.active_count() == threads


def test_a_step_that_does_not_fit_in_memory_changes_nothing(large, generators):
    """Memory runs out in the 9th backward pass, while answers are on their way."""
    network, images, labels = large
    calls = []

    class Short(nn.Module):
        def forward(self, x):
            logits = network(x)
            if logits.requires_grad:
                logits.register_hook(self.fail)
            return logits.clone()

        def fail(self, gradient):
            calls.append(len(gradient))
            if len(calls) == 9:
                raise RuntimeError("DefaultCPUAllocator: not enough memory")

    ids = torch.arange(12)
    settings = {"eps": 0.01, **SHORT}
    expected = autoattack(network, images, labels, generators=generators(ids), **settings)
    result = autoattack(Short().eval(), images, labels, generators=generators(ids), **settings)
    assert calls[8:10] == [64, 32]
    assert torch.equal(result.images, expected.images)
    assert torch.equal(result.success, expected.success)


def test_what_hides_its_gradient_falls_to_square(large, generators):
    network, images, _ = large

    class Masked(nn.Module):
        """Sees 8 levels of grey, whose slope is 0 almost everywhere."""

        def forward(self, x):
            return network((x * 8).round() / 8 + 0 * x)

    masked = Masked().eval()
    result = autoattack(
        masked, images, predict(masked, images).argmax(1), generators=generators(torch.arange(12)),
        eps=0.1, target_classes=4, steps=3, queries=150,
    )  # fmt: skip
    assert result.success.sum() > 6
    assert (result.odd[result.backwards > 0] == 1).all()


def test_too_few_classes_are_told_in_one_line(large, generators):
    network, images, labels = large
    draws, threads = generators(labels), threading.active_count()
    with pytest.raises(ModelError, match=r"has 5 classes; .* target_classes may be 4 at most$"):
        autoattack(network, images, labels, generators=draws, eps=0.1)
    three = nn.Sequential(nn.Flatten(), nn.Linear(400, 3)).eval()
    with pytest.raises(ModelError, match=r"has 3 classes; .* with 2 target classes needs .* 4$"):
        autoattack(three, images, labels.clamp(max=2), generators=draws, eps=0.1, target_classes=2)
    assert threading.active_count() == threads


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"norm": "l1"}, "norm 'l1': one of linf, l2 expected"),
        ({"eps": 0.0}, r"eps 0\.0, .*: more than 0"),
        ({"steps": 0}, "steps 0, .* at least 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused(large, generators, settings, message):
    network, images, labels = large
    with pytest.raises(ValueError, match=message):
        autoattack(
            network, images, labels, generators=generators(labels), **({"eps": 0.1} | settings)
        )


def test_what_the_package_cannot_do_is_refused(large):
    network, images, labels = large
    with pytest.raises(ValueError, match="generators expected, one an image"):
        autoattack(network, images, labels, eps=0.1)
    with pytest.raises(ValueError, match=r"images of 12 x 12 pixels: .* no first grid"):
        autoattack(
            network, images[..., :12, :12], labels, generators=[None] * 12, eps=0.1, norm="l2"
        )
