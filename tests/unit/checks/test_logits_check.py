import numpy as np
import pytest
import torch

from robusteval.checks.logits import logits


@pytest.mark.parametrize(
    ("after", "verdict", "said"),
    [
        (lambda z: z, "ok", "Outputs for 192 images run from"),
        (lambda z: z - 50, "ok", ""),  # all negative, yet no log-probabilities
        (lambda z: z.exp(), "ok", ""),  # not negative, yet no probabilities
        (lambda z: z.softmax(1), "wrong", "they are probabilities"),
        (lambda z: torch.nn.functional.one_hot(z.argmax(1), 12).float(), "wrong", "probabilities"),
        (lambda z: z.softmax(1).half().float(), "wrong", "they are probabilities"),
        (lambda z: z.log_softmax(1), "look", "they are log-probabilities"),
        (lambda z: z.sigmoid(), "look", "as after a sigmoid"),
        (lambda z: z.half().float(), "look", "exact in half precision"),
        (lambda z: z.bfloat16().float(), "look", "exact in half precision"),
        (lambda z: (1e6 * z).bfloat16().float(), "look", "exact in half precision"),
        (lambda z: 1e6 * z, "ok", ""),  # beyond float16, and no warning of it
        (lambda z: 0 * z + torch.arange(12) / 7, "wrong", "the same for every image"),
    ],
)
def test_what_the_outputs_are(subject, model, then, after, verdict, said):
    finding = logits(subject(then(model, after=after).eval()))
    assert finding.verdict == verdict, finding.found
    assert said in finding.found


def test_the_numbers_are_those_of_the_outputs(saying):
    found = logits(saying([[-1.1, 2.3], [0.1, 0.7]], [0, 1])).found
    assert found == "Outputs for 2 images run from -1.1 to 2.3."


def test_one_image_may_say_what_it_likes(saying):
    assert logits(saying(np.array([[1.1, 2.3]]), [0])).verdict == "ok"
