"""Elastic net against closed forms and against foolbox."""

import foolbox
import pytest
import torch

from robusteval.attacks.ead import ead
from robusteval.batches import predict

GREY = torch.full((1, 1, 2, 2), 0.5)
CLASS_0 = torch.tensor([0])
FAST = {"patience": 20, "polish": 100}


def test_one_pixel_is_the_nearest_in_l1(linear):
    """The L1 norm is smallest where the pixel of the largest weight does all."""
    result = ead(linear(torch.tensor([1.0, 0.1, 0.1, 0.0])), GREY, CLASS_0, steps=300, **FAST)
    change = (result.images - GREY).flatten()
    assert change[1:].tolist() == [0, 0, 0]
    # 0.1 / 1, plus less than one step of 0.01 * c * slope around the boundary
    assert 0.1 * (1 - 1e-5) <= change[0] <= 0.105
    assert result.success.item()


def test_without_beta_it_is_the_nearest_in_l2(linear):
    weight = torch.tensor([1.0, -2.0, 0.5, 0.0])
    result = ead(linear(weight), GREY, CLASS_0, steps=300, beta=0, rule="en", **FAST)
    change = (result.images - GREY).flatten()
    nearest = 0.1 * weight / weight.norm() ** 2
    assert nearest.norm() * (1 - 1e-4) <= change.norm() <= nearest.norm() * 1.03  # as in C&W
    assert torch.nn.functional.cosine_similarity(change, nearest, dim=0) > 0.999


def test_kappa_asks_for_more_margin(linear):
    model = linear(torch.tensor([1.0, 0.1, 0.1, 0.0]))
    result = ead(model, GREY, CLASS_0, steps=300, kappa=0.2, **FAST)
    logits = predict(model, result.images)[0]
    assert logits[1] - logits[0] >= 0.2
    assert (result.images - GREY).abs().sum() <= 0.31  # 0.3, and 3% as above


@pytest.mark.parametrize(("rule", "beta"), [("l1", 1e-3), ("en", 1e-3)])
def test_at_least_as_near_as_foolbox(model, images_and_labels, rule, beta):
    images, labels = (values[:16] for values in images_and_labels)
    budget = {"steps": 200, "initial_const": 0.1}
    own = ead(
        model, images, labels, searches=5, rule=rule, beta=beta, batch_size=16, **budget, **FAST
    )
    peer = foolbox.attacks.EADAttack(
        binary_search_steps=5, regularization=beta, decision_rule=rule.upper(), **budget
    ).run(
        foolbox.PyTorchModel(model, bounds=(0, 1)),
        images,
        foolbox.criteria.Misclassification(labels),
    )
    there = predict(model, peer).argmax(1) != labels
    assert there.float().mean() > 0.9
    assert (own.success >= there).all()

    def size(found):
        change = (found - images).flatten(1)[there]
        l1 = change.abs().sum(1)
        return (l1 if rule == "l1" else beta * l1 + change.square().sum(1)).mean()

    assert size(own.images) <= size(peer)  # far below in practice, as the last search is finer


def test_an_image_on_the_boundary(linear):
    model = linear(torch.tensor([1.0, 0.1, 0.1, 0.0]))
    with torch.no_grad():
        model[1].bias[1] += 0.1
    result = ead(model, GREY, CLASS_0, steps=50, searches=6)
    assert result.success.item()
    assert 0 < (result.images - GREY).abs().sum() < 0.05


def test_a_constant_that_moves_nothing_is_left_at_once(linear):
    """Steps below beta are all cut off: two passes for each of the first constants."""
    model = linear(torch.tensor([1.0, 0.1, 0.1, 0.0]))
    result = ead(model, GREY, CLASS_0, steps=50, searches=1, initial_const=0.01)
    assert result.forwards.item() == 2
    assert not result.success.item()
    assert torch.equal(result.images, GREY)  # the last iterate, which never left


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"kappa": -1}, "kappa -1"),
        ({"beta": -1}, "beta -1"),
        ({"rule": "l2"}, "rule 'l2': one of l1, en expected"),
        ({"steps": 0}, "steps 0"),
        ({"searches": 0}, "searches 0"),
        ({"initial_const": -1}, "initial_const -1"),
        ({"learning_rate": -1}, "learning_rate -1"),
        ({"patience": 0}, "patience 0"),
    ],
)
def test_unusable_settings_are_refused(linear, wrong, message):
    with pytest.raises(ValueError, match=message):
        ead(linear(torch.ones(4)), GREY, CLASS_0, **wrong)
