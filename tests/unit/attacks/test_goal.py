"""Targets, losses and verdicts by hand."""

import numpy as np
import pytest
import torch
from torch import nn

from robusteval.attacks._goal import Goal
from robusteval.attacks._targets import chosen
from robusteval.attacks.fgsm import fgsm
from robusteval.seeds import generator

LOGITS = torch.tensor([[1.0, 3.0, 2.0], [4.0, 0.0, -1.0], [2.0, 2.0, 2.0]])
LABELS = torch.tensor([1, 2, 0])


def state(target=-1):
    return {"label": LABELS, "target": torch.full((3,), target)}


def test_least_likely_and_runner_up_are_not_the_label():
    assert chosen("least_likely", LOGITS, LABELS, None).tolist() == [0, 1, 1]
    assert chosen("runner_up", LOGITS, LABELS, None).tolist() == [2, 0, 1]


def test_random_targets_are_even_over_the_other_classes():
    draws = [generator("targets", i) for i in range(3000)]
    labels = torch.full((3000,), 1)
    target = chosen("random", torch.zeros(3000, 4), labels, draws)
    counts = np.bincount(target, minlength=4)
    assert counts[1] == 0
    # 1000 expected each, within 4 standard deviations of sqrt(3000 * 1/3 * 2/3)
    assert (abs(counts[[0, 2, 3]] - 1000) < 4 * 25.8).all()


def test_random_targets_depend_on_the_image_alone(model, images_and_labels):
    images, labels = images_and_labels
    one = fgsm(
        model,
        images,
        labels,
        eps=0.1,
        target="random",
        generators=[generator(i) for i in range(80)],
    )
    two = fgsm(
        model, images[40:], labels[40:], eps=0.3, target="random",
        generators=[generator(i) for i in range(40, 80)],
    )  # fmt: skip
    assert torch.equal(one.target[40:], two.target)
    assert one.target.unique().numel() == 4


def test_margin_and_losses():
    assert Goal().margin(LOGITS, state()).tolist() == [-1.0, 5.0, 0.0]
    assert Goal(target="random").margin(LOGITS, state(0)).tolist() == [-2.0, 4.0, 0.0]
    assert Goal(loss="logit").climbed(LOGITS, state()).tolist() == [-3.0, 1.0, -2.0]
    assert Goal("random", "logit").climbed(LOGITS, state(2)).tolist() == [2.0, -1.0, 2.0]
    assert Goal("random", "margin").climbed(LOGITS, state(0)).tolist() == [-2.0, 4.0, 0.0]
    expected = -LOGITS.log_softmax(1)
    # one exponential, logarithm and difference in float32 apart: a few 1e-7
    torch.testing.assert_close(
        Goal().climbed(LOGITS, state()), expected[range(3), LABELS], atol=1e-6, rtol=0
    )
    torch.testing.assert_close(
        Goal("random").climbed(LOGITS, state(0)), -expected[:, 0], atol=1e-6, rtol=0
    )


def test_verdicts():
    assert Goal().reached(LOGITS, state()).tolist() == [False, True, False]
    assert Goal("random").reached(LOGITS, state(0)).tolist() == [False, True, True]


def test_the_tie_rule_is_for_targets_only():
    logits = torch.tensor([[1.0, 1.0009], [1.0, 1.002], [1.0, 0.0]])
    close = {"label": torch.ones(3, dtype=torch.int64), "target": torch.zeros(3, dtype=torch.int64)}
    assert Goal("random").reached(logits, close).tolist() == [False, False, True]
    tied = Goal("random", tie_tolerance=0.001)
    assert tied.reached(logits, close).tolist() == [True, False, True]
    assert Goal(tie_tolerance=0.001).reached(logits, close).tolist() == [False, False, True]


def test_a_random_target_needs_generators(model, images_and_labels):
    with pytest.raises(ValueError, match="a random target needs generators, one an image"):
        fgsm(model, *images_and_labels, eps=0.1, target="random")


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (torch.zeros(3, dtype=torch.int64), r"\(3,\); torch.int64 of shape \(80,\) expected"),
        (torch.zeros(80), "float32"),
        (torch.full((80,), -1), "target -1: at least 0"),
    ],
)
def test_unusable_targets_are_refused(model, images_and_labels, target, message):
    with pytest.raises(ValueError, match=message):
        fgsm(model, *images_and_labels, eps=0.1, target=target)


def test_a_model_of_one_class_is_refused():
    from robusteval.models._errors import ModelError

    model = nn.Sequential(nn.Flatten(), nn.Linear(4, 1)).eval()
    with pytest.raises(ModelError, match=r"K at least 2 expected"):
        fgsm(model, torch.zeros(1, 1, 2, 2), torch.tensor([0]), eps=0.1)
