"""What a trial of a model finds."""

import pytest
import torch
from torch import nn

from robusteval.models._trial import trial

SHAPE = (4, 6, 3)


class Says(nn.Module):
    def __init__(self, answer):
        super().__init__()
        self.answer = answer

    def forward(self, x):
        return self.answer(x.flatten(1)[:, :5])


def test_logits_of_a_black_image_and_of_noise_come_back():
    logits, steady = trial(Says(lambda x: x).eval(), SHAPE, 5)
    assert steady and logits.shape == (16, 5)
    assert not logits[0].any() and len(logits[1:].unique()) == 75


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda x: x[:, :4], r"shape \(16, 4\) for 16 images; \(16, 5\) expected"),
        (lambda x: x[..., None], r"shape \(16, 5, 1\)"),
        (lambda x: x.mean(), r"shape \(\)"),
        (lambda x: (x, x), "returns a tuple; logits, a tensor, expected"),
        (lambda x: {"logits": x}, "returns a dict"),
        (lambda x: x / 0, "NaN or infinite logits"),
        (lambda x: x.softmax(1), "probabilities .*logits expected: leave out its softmax"),
        (lambda x: x @ torch.ones(3, 3), r"cannot run on images of 4 x 6 x 3: RuntimeError: mat1"),
    ],
)
def test_what_is_no_logit_of_each_class_is_named(answer, message):
    with pytest.raises(ValueError, match=message):
        trial(Says(answer).eval(), SHAPE, 5)


def test_a_random_model_is_not_steady():
    _, steady = trial(Says(lambda x: x + torch.rand(1)).eval(), SHAPE, 5)
    assert not steady


def test_a_module_that_goes_on_training_is_found():
    class Stubborn(Says):
        def train(self, mode=True):
            return super().train(True)

    with pytest.raises(ValueError, match=r"training mode after model\.eval"):
        trial(Stubborn(lambda x: x).eval(), SHAPE, 5)
