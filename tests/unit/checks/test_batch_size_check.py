import pytest
import torch

from robusteval.checks._run import run
from robusteval.checks.batch_size import batch_size


def test_a_model_that_loses_the_batch_of_one(subject, model, then):
    bad = then(model, after=lambda z: z.squeeze(0)).eval()
    finding = run("batch_size", subject(bad))
    assert finding.verdict == "wrong"
    assert "logits of shape (12,) for 1 images" in finding.found


def test_statistics_of_the_batch(subject, model, then):
    bad = then(model, before=lambda x: x - x.mean(0, keepdim=True) + 0.45).eval()
    assert batch_size(subject(bad)).verdict == "wrong"


@pytest.mark.parametrize("size", [1, 8])
def test_either_size_can_differ(subject, model, then, size):
    bad = then(model, after=lambda z: z * (1 + 0.1 * (len(z) == size))).eval()
    assert batch_size(subject(bad)).verdict == "wrong"


def test_a_difference_as_of_low_precision_is_to_be_looked_at(subject, model, then):
    coarse = then(model, after=lambda z: z * (1 + 1e-3 * (len(z) == 1))).eval()
    finding = batch_size(subject(coarse))
    assert finding.verdict == "look"
    assert "differ by 0.001 of the largest logit." in finding.found


def test_rounding_is_no_difference(subject, model, then):
    rounded = then(model, after=lambda z: z * (1 + 1e-6 * (len(z) == 8))).eval()
    finding = batch_size(subject(rounded))
    assert finding.verdict == "ok"
    assert "agree to the bit" not in finding.found


def test_exact_agreement_is_said(subject, model, then):
    exact = then(model, after=lambda z: z.round()).eval()
    assert batch_size(subject(exact)).found.endswith("padded to 16 agree to the bit.")


def test_chance_is_not_blamed_on_the_size(subject, model, then):
    noisy = then(model, after=lambda z: z + torch.randn_like(z)).eval()
    finding = batch_size(subject(noisy))
    assert finding.verdict == "look"
    assert finding.found.endswith("it is chance.")
