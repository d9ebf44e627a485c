"""The smallest budget of I-FGSM: closed form, foolbox in an outer search, order of budgets."""

import foolbox
import pytest
import torch

from robusteval.attacks.ifgsm_search import ifgsm_search
from robusteval.batches import predict

GREY = torch.full((1, 1, 2, 2), 0.5)
CLASS_0 = torch.tensor([0])
WEIGHT = torch.tensor([1.0, -2.0, 0.5, 0.0])
NEAREST = 0.1 / 3.5  # margin over the L1 norm of the weights


@pytest.mark.parametrize("options", [{}, {"early_stop": False}, {"warm_start": True}])
@pytest.mark.parametrize("loss", ["cross_entropy", "logit", "margin"])
def test_smallest_change_of_a_linear_model(linear, options, loss):
    if loss == "logit":
        pytest.skip("the label's logit is 0 everywhere here")
    result = ifgsm_search(linear(WEIGHT), GREY, CLASS_0, loss=loss, **options)
    size = (result.images - GREY).abs().max().item()
    # Budgets 0.02 (fails), 0.04, then seven halvings of what is between: 0.02 / 2^7.
    assert NEAREST * (1 - 1e-5) <= size <= NEAREST + 0.02 / 2**7
    assert result.success.item()
    assert result.forwards.item() <= 451


def by_foolbox(model, images, labels, *, attempts, steps):
    """Foolbox for every image alone, with the budgets halved, doubled and bisected."""
    attack = foolbox.attacks.LinfBasicIterativeAttack(rel_stepsize=1 / steps, steps=steps)
    peer = foolbox.PyTorchModel(model, bounds=(0, 1))
    found = []
    for i in range(len(images)):
        eps, low, high = 0.02, 0.0, float("inf")
        for _ in range(attempts):
            made = attack.run(
                peer,
                images[i : i + 1],
                foolbox.criteria.Misclassification(labels[i : i + 1]),
                epsilon=eps,
            )
            if predict(model, made).argmax(1) != labels[i]:
                high = min(high, eps)
            else:
                low = max(low, eps)
            eps = 2 * eps if high == float("inf") else (low + high) / 2
        found.append(high)
    return torch.tensor(found)


def test_same_budgets_as_foolbox_in_an_outer_search(model, images_and_labels):
    images, labels = (values[:24] for values in images_and_labels)
    budget = {"attempts": 6, "steps": 10}
    own = ifgsm_search(model, images, labels, early_stop=False, **budget)
    size = (own.images - images).abs().flatten(1).amax(1)
    expected = by_foolbox(model, images, labels, **budget)
    assert own.success.all()
    # The size is eps but for the rounding of eps / steps and of the pixels; one of 24 verdicts may
    # come out otherwise, as passes of another width round differently.
    assert ((size - expected).abs() < 1e-6).sum() >= 23


def test_early_stop_and_warm_start_find_smaller_changes(model, images_and_labels):
    images, labels = (values[:32] for values in images_and_labels)

    def size(**options):
        found = ifgsm_search(model, images, labels, steps=20, batch_size=32, **options)
        assert found.success.all()
        return (found.images - images).abs().flatten(1).amax(1).mean(), found.forwards.sum()

    nominal, early, warm = size(early_stop=False), size(), size(warm_start=True)
    assert warm[0] < early[0] < nominal[0]
    assert warm[1] < early[1] < nominal[1]


def test_tolerance_saves_attempts(model, images_and_labels):
    images, labels = (values[:32] for values in images_and_labels)
    full = ifgsm_search(model, images, labels, steps=20, batch_size=32)
    near = ifgsm_search(model, images, labels, steps=20, batch_size=32, tolerance=0.1)
    assert near.forwards.sum() < 0.7 * full.forwards.sum()
    sizes = [(r.images - images).abs().flatten(1).amax(1) for r in (near, full)]
    assert sizes[0].mean() < 1.1 * sizes[1].mean()


def test_a_goal_out_of_reach_doubles_to_the_end(linear):
    """A margin that no image in [0, 1] can close."""
    model = linear(WEIGHT)
    with torch.no_grad():
        model[1].bias[1] -= 10
    result = ifgsm_search(model, GREY, CLASS_0, steps=5)
    assert not result.success.item()
    assert (result.forwards.item(), result.backwards.item()) == (46, 37)
    assert (result.images - GREY).abs().max() == 0.5  # the last iterate, with a budget of 5.12


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"initial_eps": 0}, "initial_eps 0"),
        ({"attempts": 0}, "attempts 0"),
        ({"steps": 0}, "steps 0"),
        ({"tolerance": 1}, "tolerance 1"),
        ({"loss": "hinge"}, "loss 'hinge': one of cross_entropy, logit, margin"),
        ({"tie_tolerance": -1}, "tie_tolerance -1"),
    ],
)
def test_unusable_settings_are_refused(linear, wrong, message):
    with pytest.raises(ValueError, match=message):
        ifgsm_search(linear(WEIGHT), GREY, CLASS_0, **wrong)
