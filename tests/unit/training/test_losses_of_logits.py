"""Label smoothing and LogitNorm: closed forms in the logits."""

import math

import pytest
import torch
from torch.nn import functional as F

from robusteval.training.label_smoothing import label_smoothing
from robusteval.training.logit_norm import logit_norm

LOGITS = torch.tensor([[2.0, -1.0, 0.5], [0.0, 3.0, 1.0]])
LABELS = torch.tensor([0, 2])


def loss(method, logits, labels=LABELS, **options):
    images = torch.zeros(len(labels), 1, 2, 2)
    return method(lambda _: logits, images, labels, rng=torch.Generator(), done=0.5, **options)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.6])
def test_smoothing_spreads_a_share_of_the_target_over_all_classes(epsilon):
    target = (1 - epsilon) * F.one_hot(LABELS, 3) + epsilon / 3
    expected = -(target * LOGITS.log_softmax(1)).sum(1).mean()
    # Float32 sums of 6 terms of about 1.
    torch.testing.assert_close(
        loss(label_smoothing, LOGITS, epsilon=epsilon), expected, atol=1e-6, rtol=0
    )


def test_a_tenth_is_smoothed_by_default():
    expected = F.cross_entropy(LOGITS, LABELS, label_smoothing=0.1)
    assert torch.equal(loss(label_smoothing, LOGITS), expected)


@pytest.mark.parametrize("scale", [0.01, 3.0, 1000.0])
def test_longer_logits_change_nothing_in_logit_norm(scale):
    # At tau 0.04 logits are 25 long; float32 rounding of a loss of about 10.
    torch.testing.assert_close(
        loss(logit_norm, scale * LOGITS), loss(logit_norm, LOGITS), atol=1e-5, rtol=0
    )


def test_logit_norm_of_a_triangle_of_3_4_5():
    value = loss(logit_norm, torch.tensor([[3.0, 4.0]]), torch.tensor([0]), tau=0.5)
    # (0.6, 0.8) / 0.5 = (1.2, 1.6); float32.
    assert value.item() == pytest.approx(math.log1p(math.exp(0.4)), abs=1e-6)


def test_logits_of_zero_have_a_loss_and_a_gradient():
    logits = torch.zeros(2, 3, requires_grad=True)
    value = loss(logit_norm, logits)
    value.backward()
    assert value.item() == pytest.approx(math.log(3), abs=1e-6)  # float32
    assert torch.isfinite(logits.grad).all()
