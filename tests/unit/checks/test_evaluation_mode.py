import torch
from torch import nn

from robusteval.checks._run import run
from robusteval.checks.evaluation_mode import evaluation_mode


def test_a_whole_model_in_training_mode(subject, model):
    finding = evaluation_mode(subject(model.train()))
    model.eval()
    assert finding.verdict == "wrong"
    assert finding.found.startswith("9 layers are in training mode (the model, network, network.0")


def test_dropout_left_active(subject, model):
    (dropout,) = [m for m in model.modules() if isinstance(m, nn.Dropout)]
    dropout.train()
    finding = evaluation_mode(subject(model))
    dropout.eval()
    assert finding.verdict == "wrong"
    assert finding.found.startswith("1 layers are in training mode (network.5);")


def test_batch_norm_left_in_training(subject, model):
    (norm,) = [m for m in model.modules() if isinstance(m, nn.BatchNorm2d)]
    before = norm.running_mean.clone()
    norm.train()
    made = subject(model)
    norm.running_mean.copy_(before)
    finding = evaluation_mode(made)
    assert torch.equal(norm.running_mean, before)
    norm.eval()
    assert finding.verdict == "wrong"
    assert "(network.1)" in finding.found


def test_statistics_of_the_batch_in_evaluation_mode_show_beside_other_neighbours(
    subject, model, then
):
    centred = then(model, before=lambda x: x - x.mean((0, 2, 3), keepdim=True) + 0.45).eval()
    finding = evaluation_mode(subject(centred))
    assert finding.verdict == "wrong"
    assert finding.found.startswith("No layer is in training mode; other neighbours move logits by")


def test_noise_alone_is_no_neighbour(subject, model, then):
    noisy = then(model, before=lambda x: x + 0.1 * torch.randn_like(x)).eval()
    assert evaluation_mode(subject(noisy)).verdict == "ok"


def test_a_good_model_has_the_same_bits_beside_any_neighbours(subject):
    finding = run("evaluation_mode", subject())
    assert finding.found == (
        "No layer is in training mode; other neighbours move logits by 0 of the largest."
    )
