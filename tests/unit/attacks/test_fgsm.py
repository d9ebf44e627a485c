"""FGSM against its formula and against foolbox."""

import foolbox
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from robusteval.attacks.fgsm import fgsm


@pytest.mark.parametrize("eps", [0.0, 0.01, 0.1, 0.3])
def test_same_images_as_foolbox(model, images_and_labels, eps):
    images, labels = (values[:64] for values in images_and_labels)
    expected = foolbox.attacks.LinfFastGradientAttack().run(
        foolbox.PyTorchModel(model, bounds=(0, 1)), images, labels, epsilon=eps
    )
    # foolbox projects the step onto the ball once more, one rounding of at most 2^-25 a time.
    torch.testing.assert_close(
        fgsm(model, images, labels, eps=eps).images, expected, atol=1e-6, rtol=0
    )


def test_formula_on_a_linear_model():
    """For two classes the gradient is p(other) * (w_other - w_label), known in sign."""
    linear = nn.Linear(4, 2, bias=False)
    with torch.no_grad():
        linear.weight.copy_(torch.tensor([[1.0, -1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 2.0]]))
    model = nn.Sequential(nn.Flatten(), linear).eval()
    image = torch.tensor([0.5, 0.5, 0.5, 0.95]).view(1, 1, 2, 2)
    result = fgsm(model, image, torch.tensor([0]), eps=0.125)
    expected = torch.tensor([0.375, 0.625, 0.5, 1.0])  # down, up, slope 0, cut at 1
    assert torch.equal(result.images.flatten(), expected)
    assert result.success.tolist() == [True]  # logits 0.75 against 2


def test_the_loss_goes_up(model, images_and_labels):
    images, labels = images_and_labels
    with torch.no_grad():
        before = F.cross_entropy(model(images), labels, reduction="none")
        after = F.cross_entropy(
            model(fgsm(model, images, labels, eps=0.005).images), labels, reduction="none"
        )
    assert (after > before).all()


def test_negative_eps_is_refused(model, images_and_labels):
    with pytest.raises(ValueError, match=r"eps -0\.1: at least 0 expected"):
        fgsm(model, *images_and_labels, eps=-0.1)
