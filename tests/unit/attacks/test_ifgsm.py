"""I-FGSM against foolbox, its momentum variant against the formula."""

import copy

import foolbox
import pytest
import torch
import torch.nn.functional as F

from robusteval.attacks.ifgsm import ifgsm
from robusteval.attacks.mi_fgsm import mi_fgsm


def peer(attack, model, images, criterion, eps):
    return attack.run(foolbox.PyTorchModel(model, bounds=(0, 1)), images, criterion, epsilon=eps)


def criterion(labels, target):
    if target is None:
        return foolbox.criteria.Misclassification(labels)
    return foolbox.criteria.TargetedMisclassification(target)


# Tolerance 1e-6: ten steps, each with a few roundings of at most 2^-25 = 3e-8 in the image.
@pytest.mark.parametrize("targeted", [False, True])
@pytest.mark.parametrize("eps", [0.02, 0.2])
def test_same_images_as_foolbox(model, images_and_labels, eps, targeted):
    images, labels = (values[:64] for values in images_and_labels)
    target = (labels + 1) % 4 if targeted else None
    attack = foolbox.attacks.LinfBasicIterativeAttack(rel_stepsize=0.1, steps=10)
    expected = peer(attack, model, images, criterion(labels, target), eps)
    own = ifgsm(model, images, labels, eps=eps, steps=10, target=target)
    torch.testing.assert_close(own.images, expected, atol=1e-6, rtol=0)


@pytest.mark.parametrize("decay", [1.0, 0.5])
def test_momentum_by_its_formula(model, images_and_labels, decay):
    """Image by image in float64, where foolbox sums up signs instead of gradients."""
    images, labels = (values[:8] for values in images_and_labels)
    own = mi_fgsm(model, images, labels, eps=0.05, steps=10, decay=decay)
    double = copy.deepcopy(model).double()
    for clean, label, found in zip(images.double(), labels, own.images, strict=True):
        x, g = clean.clone(), torch.zeros_like(clean)
        for _ in range(10):
            x.requires_grad_()
            loss = F.cross_entropy(double(x[None]), label[None])
            (gradient,) = torch.autograd.grad(loss, x)
            g = decay * g + gradient / gradient.abs().sum()
            x = (x.detach() + 0.005 * g.sign()).clamp(clean - 0.05, clean + 0.05).clamp(0, 1)
        # In float32 a momentum near 0 may have the other sign, which moves a pixel by 0.01, and
        # gradients a little after that.
        assert ((found - x).abs() < 1e-6).float().mean() > 0.98


def test_without_momentum_it_is_ifgsm(model, images_and_labels):
    settings = {"eps": 0.03, "steps": 5}
    one = mi_fgsm(model, *images_and_labels, decay=0, **settings)
    assert torch.equal(one.images, ifgsm(model, *images_and_labels, **settings).images)


@pytest.mark.parametrize("attack", [ifgsm, mi_fgsm])
@pytest.mark.parametrize(("name", "value"), [("eps", -0.1), ("steps", 0), ("eps", float("nan"))])
def test_unusable_settings_are_refused(model, images_and_labels, attack, name, value):
    with pytest.raises(ValueError, match=f"{name} {value}"):
        attack(model, *images_and_labels, **({"eps": 0.1} | {name: value}))


def test_negative_decay_is_refused(model, images_and_labels):
    with pytest.raises(ValueError, match="decay -1"):
        mi_fgsm(model, *images_and_labels, eps=0.1, decay=-1)
