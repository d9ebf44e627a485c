import torch
import torch.nn.functional as F

from robusteval.checks.randomness import randomness


def test_a_model_without_chance_agrees_to_the_bit(subject):
    assert randomness(subject()).found == "Two passes of the same images agree to the bit."


def test_noise_in_the_forward_pass(subject, model, then):
    finding = randomness(subject(then(model, after=lambda z: z + torch.randn_like(z)).eval()))
    assert finding.verdict == "look"
    assert "Two passes of the same 16 images differ by 0." in finding.found


def test_dropout_that_ignores_evaluation_mode(subject, model, then):
    assert randomness(subject(then(model, before=F.dropout).eval())).verdict == "look"


def test_changed_predictions_are_counted(subject, model, then):
    calls = []

    def second_call_is_opposite(z):
        calls.append(len(z))
        return -z if len(calls) % 2 else z

    made = subject(then(model, after=second_call_is_opposite).eval(), n=5)
    assert randomness(made).found.endswith("and in 5 predictions.")


def test_rounding_is_not_chance(subject, model, then):
    tiny = then(model, after=lambda z: z * (1 + 1e-6 * torch.rand(1))).eval()
    assert randomness(subject(tiny)).verdict == "ok"
