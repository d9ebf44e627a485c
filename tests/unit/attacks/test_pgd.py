"""PGD against foolbox, and what its options do."""

import eagerpy
import foolbox
import pytest
import torch

from robusteval.attacks._norms import random_point
from robusteval.attacks.pgd import pgd

SETTINGS = {
    "linf": {"eps": 0.03, "step_size": 0.01, "steps": 10},
    "l2": {"eps": 0.4, "step_size": 0.1, "steps": 10},
}
PEERS = {
    "linf": foolbox.attacks.LinfProjectedGradientDescentAttack,
    "l2": foolbox.attacks.L2ProjectedGradientDescentAttack,
}
every_norm = pytest.mark.parametrize("norm", ["linf", "l2"])


def by_foolbox(model, images, labels, norm, start):
    """The images that foolbox finds from the points ``start``."""

    class FromStart(PEERS[norm]):
        def get_random_start(self, x0, epsilon):
            return eagerpy.astensor(start)

    settings = SETTINGS[norm]
    attack = FromStart(
        abs_stepsize=settings["step_size"], steps=settings["steps"], random_start=True
    )
    peer = foolbox.PyTorchModel(model, bounds=(0, 1))
    return attack.run(peer, images, labels, epsilon=settings["eps"])


# Tolerance 1e-6: ten steps, each with a few roundings of at most 2^-25 = 3e-8 in the image.
@every_norm
def test_same_images_as_foolbox(model, images_and_labels, norm):
    images, labels = (values[:64] for values in images_and_labels)
    own = pgd(model, images, labels, norm=norm, random_start=False, **SETTINGS[norm])
    peer = by_foolbox(model, images, labels, norm, start=images)
    torch.testing.assert_close(own.images, peer, atol=1e-6, rtol=0)


@every_norm
def test_same_images_as_foolbox_from_the_same_random_start(
    model, images_and_labels, generators, norm
):
    images, labels = (values[:64] for values in images_and_labels)
    ids = torch.arange(64)
    start = random_point(images, generators(ids), SETTINGS[norm]["eps"], norm)
    own = pgd(model, images, labels, norm=norm, generators=generators(ids), **SETTINGS[norm])
    peer = by_foolbox(model, images, labels, norm, start=start)
    torch.testing.assert_close(own.images, peer, atol=1e-6, rtol=0)


@every_norm
def test_early_stop_saves_passes_and_loses_no_success(model, images_and_labels, norm):
    settings = SETTINGS[norm] | {"norm": norm, "random_start": False}
    full = pgd(model, *images_and_labels, **settings)
    early = pgd(model, *images_and_labels, **settings, early_stop=True)
    assert early.forwards.sum() < 0.8 * full.forwards.sum()
    # Both walk the same way: what is wrong at the end of the full walk was wrong when it got there.
    assert (early.success >= full.success).all()
    failed = ~early.success
    assert failed.any()
    assert torch.equal(early.images[failed], full.images[failed])
    assert (early.steps[failed] == settings["steps"]).all()


@every_norm
def test_early_stop_returns_the_first_wrong_iterate(model, images_and_labels, norm):
    """An image that stopped after s steps was still right after s - 1."""
    settings = SETTINGS[norm] | {"norm": norm, "random_start": False}
    early = pgd(model, *images_and_labels, **settings, early_stop=True)
    taken = early.steps[early.success].unique().tolist()
    assert len(taken) > 1
    assert min(taken) > 1
    for steps in taken:
        there = early.success & (early.steps == steps)
        before = pgd(model, *images_and_labels, **(settings | {"steps": steps - 1}))
        at = pgd(model, *images_and_labels, **(settings | {"steps": steps}))
        assert not before.success[there].any()
        assert torch.equal(at.images[there], early.images[there])


def test_random_start_depends_on_the_generator(model, images_and_labels, generators):
    images, labels = images_and_labels
    one = pgd(
        model, images, labels, generators=generators(torch.arange(80)), **SETTINGS["l2"], norm="l2"
    )
    two = pgd(
        model,
        images,
        labels,
        generators=generators(torch.arange(1, 81)),
        **SETTINGS["l2"],
        norm="l2",
    )
    assert (one.images != two.images).flatten(1).any(1).all()


def test_a_ball_of_radius_0_leaves_the_image(model, images_and_labels, generators):
    images, labels = images_and_labels
    draws = generators(torch.arange(80))
    for norm in ("linf", "l2"):
        result = pgd(
            model, images, labels, generators=draws, norm=norm, eps=0, step_size=0.1, steps=2
        )
        assert torch.equal(result.images, images)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"norm": "l1"}, "norm 'l1': one of linf, l2 expected"),
        ({"eps": -1}, "eps -1"),
        ({"step_size": 0}, "step_size 0"),
        ({"steps": 0}, "steps 0"),
        ({}, "a random start needs generators"),
    ],
)
def test_unusable_settings_are_refused(model, images_and_labels, wrong, message):
    with pytest.raises(ValueError, match=message):
        pgd(model, *images_and_labels, **(SETTINGS["linf"] | wrong))
