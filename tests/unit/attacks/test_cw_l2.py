"""Carlini-Wagner against closed forms and against foolbox."""

import foolbox
import pytest
import torch

from robusteval.attacks.cw_l2 import cw_l2
from robusteval.batches import predict

WEIGHT = torch.tensor([1.0, -2.0, 0.5, 0.0])
GREY = torch.full((1, 1, 2, 2), 0.5)
CLASS_0 = torch.tensor([0])
FAST = {"patience": 20, "warm_start": True, "polish": 100}


def margins(model, images, labels):
    """The largest logit of the other classes minus the label's."""
    logits = predict(model, images)
    own = logits.gather(1, labels[:, None])[:, 0]
    return logits.scatter(1, labels[:, None], -torch.inf).amax(1) - own


@pytest.mark.parametrize("options", [{}, {"warm_start": True}, FAST], ids=["plain", "warm", "fast"])
def test_nearest_image_of_a_linear_model(linear, options):
    result = cw_l2(linear(WEIGHT), GREY, CLASS_0, steps=300, **options)
    change = (result.images - GREY).flatten()
    nearest = 0.1 * WEIGHT / WEIGHT.norm() ** 2
    # Adam steps across the boundary by about its rate of 0.01 times dx/dw = 0.5; the nearest of
    # hundreds of iterates is within 3% of the closed form, and can be no nearer than that.
    assert nearest.norm() * (1 - 1e-4) <= change.norm() <= nearest.norm() * 1.03
    assert torch.nn.functional.cosine_similarity(change, nearest, dim=0) > 0.99
    assert result.success.item()


def test_kappa_asks_for_more_margin(linear):
    """With two classes, too: the margin goes from -0.1 to 0.3, four times as far as to 0."""
    model = linear(WEIGHT)
    result = cw_l2(model, GREY, CLASS_0, steps=300, kappa=0.3, **FAST)
    assert margins(model, result.images, CLASS_0).item() >= 0.3
    # within 3% for the same reason as above, counted on four times the distance
    assert (result.images - GREY).norm() <= 1.03 * 0.4 / WEIGHT.norm()


def test_a_margin_out_of_reach_leaves_the_last_iterate(linear):
    model = linear(WEIGHT)  # the largest possible margin is 0.5 * 3.5 - 0.1
    result = cw_l2(model, GREY, CLASS_0, steps=30, kappa=10, searches=4)
    assert result.success.item()  # as an image of another class, though not as wanted
    assert (result.images - GREY).abs().max() > 0.05
    assert result.steps.item() > 60


@pytest.mark.parametrize("target", [None, "runner_up"])
def test_at_least_as_near_as_foolbox(model, images_and_labels, target):
    images, labels = (values[:16] for values in images_and_labels)
    budget = {"steps": 200, "initial_const": 0.1}
    own = cw_l2(model, images, labels, searches=5, target=target, batch_size=16, **budget, **FAST)
    criterion = foolbox.criteria.Misclassification(labels)
    if target:
        criterion = foolbox.criteria.TargetedMisclassification(own.target)
    peer = foolbox.attacks.L2CarliniWagnerAttack(
        binary_search_steps=5, stepsize=0.01, confidence=0, **budget
    ).run(foolbox.PyTorchModel(model, bounds=(0, 1)), images, criterion)
    predicted = predict(model, peer).argmax(1)
    there = predicted == own.target if target else predicted != labels
    assert there.float().mean() > 0.9
    assert (own.success >= there).all()
    sizes = [(found - images).flatten(1).norm(dim=1)[there].mean() for found in (own.images, peer)]
    assert sizes[0] <= sizes[1] * 1.005  # two random walks around the same boundary


def test_options_trade_passes(model, images_and_labels):
    images, labels = (values[:16] for values in images_and_labels)
    options = {"steps": 80, "searches": 4, "initial_const": 0.1, "batch_size": 16}
    plain = cw_l2(model, images, labels, patience=80, **options)
    early = cw_l2(model, images, labels, patience=5, **options)
    assert (plain.forwards == 321).all()
    assert early.forwards.float().mean() < 250
    assert early.success.all()


def test_an_image_on_the_boundary(linear):
    """Both logits are 0: the first class is predicted, so label 0 stands and label 1 is wrong."""
    model = linear(WEIGHT)
    with torch.no_grad():
        model[1].bias[1] += 0.1
    images, labels = GREY.expand(2, -1, -1, -1), torch.tensor([0, 1])
    result = cw_l2(model, images, labels, steps=50, **(FAST | {"polish": 0}))
    assert result.success.all()
    assert result.steps[1] == 0
    assert (result.images[0] - GREY).norm() < 0.02  # one step of Adam, 0.005 a pixel


def test_black_and_white_pixels_can_move(linear):
    image = torch.tensor([0.0, 1.0, 0.5, 0.5]).view(1, 1, 2, 2)  # the margin is 1 away from -0.1
    weight = torch.tensor([1.0, -2.0, 0.0, 0.0])
    result = cw_l2(linear(weight), image, CLASS_0, steps=1000, learning_rate=0.1, searches=6)
    assert result.success.item()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kappa": -1}, "kappa -1"),
        ({"steps": 0}, "steps 0"),
        ({"searches": 0}, "searches 0"),
        ({"initial_const": 0}, "initial_const 0"),
        ({"learning_rate": 0}, "learning_rate 0"),
        ({"learning_rate": float("nan")}, "learning_rate nan"),
        ({"patience": 0}, "patience 0"),
        ({"polish": -1}, "polish -1"),
    ],
)
def test_unusable_settings_are_refused(linear, wrong, message):
    with pytest.raises(ValueError, match=message):
        cw_l2(linear(WEIGHT), GREY, CLASS_0, **wrong)
