from dataclasses import replace

import numpy as np
import pytest
import torch

from robusteval.checks.gradient import MASKED, NOT, UNTRUE, ZERO, gradient


class Straight(torch.autograd.Function):
    """Four grey values on the way forth, the identity on the way back."""

    @staticmethod
    def forward(ctx, x):
        return (3 * x).round() / 3

    @staticmethod
    def backward(ctx, gradient):
        return gradient


def partly_detached(x):
    return 0.3 * x + 0.7 * x.detach()


def endless(x):
    return x + (x - x).abs().sqrt()  # adds 0, whose root has an infinite slope


def saturated_for_some(z):
    return z * torch.where(torch.arange(len(z)) < 3, 1000, 1)[:, None]


@pytest.mark.parametrize(
    ("before", "after", "verdict", "said", "why"),
    [
        (None, torch.Tensor.detach, "wrong", "not connected to the pixels", NOT),
        (torch.Tensor.detach, None, "wrong", "not connected to the pixels", NOT),
        (lambda x: (8 * x).round() / 8, None, "wrong", "16 of 16 images, that of the logits for 16",
         ZERO),
        (None, lambda z: 1000 * z, "wrong", "of 16 images, that of the logits for 0", MASKED),
        (None, saturated_for_some, "look", "for 3 of 16 images, that of the logits for 0", MASKED),
        (endless, None, "wrong", "NaN or infinite for 16 of 16", NOT),
        (Straight.apply, None, "look", "times what it foretells", UNTRUE),
        (partly_detached, None, "look", "times what it foretells", UNTRUE),
    ],
)  # fmt: skip
def test_gradients_that_mislead(subject, model, then, before, after, verdict, said, why):
    finding = gradient(subject(then(model, before=before, after=after).eval()))
    assert finding.verdict == verdict, finding.found
    assert said in finding.found
    assert finding.why == why


def test_a_true_gradient_foretells_the_change(subject):
    finding = gradient(subject())
    assert finding.verdict == "ok"
    ratio = float(finding.found.rsplit("logits by ", 1)[1].split()[0])
    assert 0.8 < ratio < 1.2  # a piecewise linear network, a step of 0.01: few pieces are left


def test_weights_that_may_be_trained_are_left_alone(subject, model):
    weights = next(model.parameters())
    weights.requires_grad_(True)
    assert gradient(subject()).verdict == "ok"
    weights.requires_grad_(False)
    assert weights.grad is None


def test_noise_does_not_spoil_the_trial_steps(subject, model, then):
    noisy = then(model, after=lambda z: z + torch.randn_like(z)).eval()
    assert gradient(subject(noisy)).verdict == "ok"


def test_a_model_that_clips_is_tried_inside_the_scale(subject, model, then):
    black_and_white = replace(subject(), images=np.where(subject().images > 127, 255, 0))
    clipping = then(model, before=lambda x: x.clamp(0, 1)).eval()
    finding = gradient(replace(black_and_white, model=clipping))
    assert finding.found == gradient(black_and_white).found


def test_a_flat_model_is_not_tried(subject, model, then):
    flat = then(model, after=lambda z: z * 1e-6 + torch.arange(12)).eval()
    finding = gradient(subject(flat))
    assert (finding.verdict, finding.found[-28:]) == ("ok", "it is too flat to be tried.".rjust(28))
