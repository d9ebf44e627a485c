"""Passes that do not fit in memory, played by a model that refuses wide ones."""

import logging

import pytest
import torch
from torch import nn

from robusteval.attacks.pgd import pgd
from robusteval.batches import predict
from robusteval.memory import out_of_memory
from robusteval.models._errors import ModelError
from robusteval.seeds import generator

ERRORS = [
    torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB."),
    RuntimeError("[enforce fail at alloc_cpu.cpp:124] DefaultCPUAllocator: can't allocate memory"),
    RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes."),
    RuntimeError("cuDNN error: CUDNN_STATUS_ALLOC_FAILED"),
    MemoryError(),
]


class Gate(torch.autograd.Function):
    """The identity; its gradient asks ``gate`` first."""

    @staticmethod
    def forward(context, x, gate):
        context.gate = gate
        return x.clone()

    @staticmethod
    def backward(context, gradient):
        context.gate(len(gradient))
        return gradient, None


class Small(nn.Module):
    """Three logits; more than ``limit`` images, forward or backward, do not fit after ``after``."""

    def __init__(self, limit, error=ERRORS[0], *, backward=False, after=0):
        super().__init__()
        self.linear = nn.Linear(48, 3)
        with torch.no_grad():
            noise = torch.Generator().manual_seed(0)
            self.linear.weight.copy_(torch.randn(3, 48, generator=noise))
            self.linear.bias.zero_()
        self.limit, self.error, self.backward, self.after = limit, error, backward, after
        self.widths, self.refused = [], []

    def gate(self, width):
        if width > self.limit and len(self.widths) >= self.after:
            self.refused.append(width)
            raise self.error
        self.widths.append(width)

    def forward(self, x):
        if self.backward:
            return self.linear(Gate.apply(x, self.gate).flatten(1).tanh())
        self.gate(len(x))
        return self.linear(x.flatten(1).tanh())


def images(n):
    return torch.rand(n, 3, 4, 4, generator=torch.Generator().manual_seed(1))


def attacked(model, n=100, **options):
    x = images(n)
    with torch.no_grad():
        labels = model.linear(x.flatten(1).tanh()).argmax(1)
    settings = {"eps": 0.3, "step_size": 0.02, "steps": 9, "early_stop": True} | options
    return pgd(model, x, labels, generators=[generator(i) for i in range(n)], **settings)


@pytest.mark.parametrize("error", ERRORS, ids=str)
@pytest.mark.parametrize("limit", [16, 32])
def test_logits_are_the_same_where_wide_passes_do_not_fit(error, limit):
    model = Small(limit, error).eval()
    assert torch.equal(predict(model, images(150)), predict(Small(64).eval(), images(150)))
    assert set(model.widths) == {limit}


def test_a_width_stays_a_multiple_of_16():
    model = Small(40).eval()
    predict(model, images(100), batch_size=48)  # half of 48 would be 24
    assert model.refused == [48] and set(model.widths) == {16}


def test_what_did_not_fit_is_tried_and_logged_once(caplog):
    caplog.set_level(logging.WARNING)
    model = Small(32).eval()
    for _ in range(3):
        predict(model, images(150))
        attacked(model)
    assert model.refused == [64]
    (record,) = caplog.records
    assert record.getMessage() == "64 images a pass do not fit in memory: going on with 32"
    other = Small(64).eval()
    predict(other, images(64))
    assert other.widths == [64]


@pytest.mark.parametrize("backward", [False, True], ids=["forward", "backward"])
@pytest.mark.parametrize("after", [0, 5, 12])
@pytest.mark.parametrize("limit", [16, 32])
def test_an_attack_goes_on_where_it_was(backward, after, limit):
    seen = []
    model = Small(limit, backward=backward, after=after).eval()
    result = attacked(model, progress=seen.append)
    expected = vars(attacked(Small(64).eval()))
    assert model.refused and model.widths[-1] == limit
    assert {k: v for k, v in vars(result).items() if not torch.equal(v, expected[k])} == {}
    assert sum(seen) == 100 and all(seen)
    assert expected["success"].sum() > 0 and len(expected["steps"].unique()) > 2  # a mixed queue


def test_sixteen_images_have_to_fit(caplog):
    with pytest.raises(MemoryError):
        predict(Small(8, MemoryError()).eval(), images(20))
    with pytest.raises(torch.cuda.OutOfMemoryError):
        attacked(Small(8).eval(), 20)
    assert "even 16 images a pass do not fit in memory" in caplog.text


@pytest.mark.parametrize(
    "error", [RuntimeError("shapes cannot be multiplied"), ModelError("NaN"), OSError(12, "?")]
)
def test_other_errors_are_not_about_memory(error):
    assert not out_of_memory(error)
    model = Small(8, error).eval()
    with pytest.raises(type(error)):
        predict(model, images(20))
    with pytest.raises(type(error)):
        attacked(model, 20)
    assert set(model.refused) == {64}
