"""Slots and queue, seen through searches whose length is known."""

from functools import partial

import pytest
import torch
from torch import nn

from robusteval.attacks._engine import run
from robusteval.models._errors import ModelError


class Recorder(nn.Module):
    """Two logits, the pixel and 0.5; remembers the width of every pass."""

    def __init__(self):
        super().__init__()
        self.widths = []

    def forward(self, x):
        self.widths.append(len(x))
        value = x.flatten(1).sum(1, keepdim=True)
        return torch.cat([value, torch.full_like(value, 0.5)], 1)


def start_countdown(state, generators):
    """A pixel of n / 100 asks for n steps."""
    return state | {"left": (state["x0"].flatten() * 100).round().long()}


def countdown(state, passes):
    logits = passes.forward(state["x"], differentiable=False)
    finished = state["left"] == 0
    return state | {
        "left": state["left"] - 1,
        "steps": state["steps"] + ~finished,
        "success": logits.argmax(1) != state["label"],
    }, finished


def lasting(*lengths):
    """One image of one pixel for each search length."""
    return torch.tensor(lengths).view(-1, 1, 1, 1) / 100


def search(model, images, **options):
    labels = torch.zeros(len(images), dtype=torch.int64)
    options = {"generators": None, "start": start_countdown, "step": countdown} | options
    return run(model, images, labels, **options)


def test_each_image_takes_its_own_number_of_steps():
    lengths = [(7 * i) % 11 for i in range(50)]
    model = Recorder().eval()
    result = search(model, lasting(*lengths), batch_size=16)
    assert result.steps.tolist() == lengths
    assert result.forwards.tolist() == [n + 1 for n in lengths]
    assert result.backwards.tolist() == [0] * 50
    assert set(model.widths) == {16}


def test_a_free_slot_is_taken_at_once():
    """Batches that wait for their slowest image would take 10 + 1 + 1 passes, and 4 times 4."""
    model = Recorder().eval()
    search(model, lasting(9, *[0] * 45), batch_size=16)
    assert len(model.widths) == 10
    model = Recorder().eval()
    search(model, lasting(*[3, 0] * 32), batch_size=16)
    assert len(model.widths) <= 12  # 32 * 4 + 32 * 1 passes of an image fill 16 slots 10 times


@pytest.mark.parametrize("count", [1, 15, 16, 17, 33])
def test_any_count_fits_any_width(count):
    lengths = [i % 4 for i in range(count)]
    result = search(Recorder().eval(), lasting(*lengths), batch_size=16)
    assert result.steps.tolist() == lengths
    assert torch.equal(result.images, lasting(*lengths))


def test_on_a_cpu_the_width_is_at_most_64():
    model = Recorder().eval()
    search(model, lasting(1, 2), batch_size=1000)
    assert set(model.widths) == {64}


def test_start_gets_the_generators_of_its_images():
    drawn = {}

    def start(state, generators):
        drawn.update(zip(state["index"].tolist(), generators, strict=True))
        return start_countdown(state, generators)

    names = [f"generator {i}" for i in range(40)]
    search(Recorder().eval(), lasting(*[0, 5] * 20), start=start, generators=names, batch_size=16)
    assert drawn == dict(enumerate(names))


def test_gradients_are_counted_where_they_are_needed():
    """Images whose last pixel is 0 need none; the gradient of sum(x) is 1."""
    seen = []

    def step(state, passes):
        where = state["x0"].flatten() > 0
        logits = passes.forward(state["x"])
        seen.append(passes.backward(logits[:, 0], where))
        return state, torch.ones_like(where)

    result = search(Recorder().eval(), lasting(0, 1, 2), step=step)
    assert result.backwards.tolist() == [0, 1, 1]
    assert result.forwards.tolist() == [1, 1, 1]
    assert torch.equal(seen[0], torch.ones(64, 1, 1, 1))


def test_only_gradients_that_are_needed_must_be_finite():
    """The slope of the root at 0 is infinite, and image 0 is at 0."""

    def step(state, passes, where):
        loss = passes.forward(state["x"])[:, 0].sqrt()
        passes.backward(loss, where(state["x0"].flatten()))
        return state, torch.ones_like(state["success"])

    images = lasting(0, 4, 16)
    search(Recorder().eval(), images, step=partial(step, where=lambda pixel: pixel > 0))
    with pytest.raises(ModelError, match=r"not finite for 1 images, the first at 0$"):
        search(Recorder().eval(), images, step=partial(step, where=lambda pixel: pixel >= 0))


def test_no_gradient_is_computed_where_none_is_needed():
    def step(state, passes):
        passes.forward(state["x"], differentiable=False)  # a backward pass would fail
        gradient = passes.backward(torch.zeros(64), state["success"])
        assert torch.equal(gradient, torch.zeros(64, 1, 1, 1))
        return state, ~state["success"]

    result = search(Recorder().eval(), lasting(0, 1, 2), step=step)
    assert result.backwards.tolist() == [0, 0, 0]


def test_the_best_image_of_a_search_can_be_handed_back():
    """A search that wanders off and returns what it had kept."""

    def start(state, generators):
        return start_countdown(state, generators) | {"best": state["x0"] / 2}

    def step(state, passes):
        passes.forward(state["x"])
        finished = state["left"] == 0
        x = torch.where(finished.view(-1, 1, 1, 1), state["best"], torch.zeros_like(state["x"]))
        return state | {"x": x, "left": state["left"] - 1}, finished

    images = lasting(*range(20))
    result = search(Recorder().eval(), images, start=start, step=step, batch_size=16)
    assert torch.equal(result.images, images / 2)


def fading(state, passes):
    """Halve the pixel three times."""
    logits = passes.forward(state["next"], differentiable=False)
    finished = state["steps"] == 3
    return state | {
        "x": state["next"],
        "next": state["next"] / 2,
        "steps": state["steps"] + ~finished,
        "success": logits.argmax(1) != state["label"],
    }, finished


class SilentBelow(Recorder):
    """A recorder that says NaN about pixels below a limit."""

    def forward(self, x):
        logits = super().forward(x)
        return torch.where(logits[:, :1] < 0.1, torch.nan, logits)


def test_nan_ends_one_search_and_no_other():
    """0.16 gets to 0.08 after one step, 0.36 to 0.09 after two, 0.96 stays above 0.1."""
    images = lasting(96, 16, 36, 96)
    options = {"start": lambda state, _: state | {"next": state["x0"]}, "step": fading}
    result = search(SilentBelow().eval(), images, **options)
    assert result.odd.tolist() == [0, 2, 2, 0]
    # the last image with an answer; halving is exact
    assert torch.equal(result.images, images / torch.tensor([8, 1, 2, 8]).view(-1, 1, 1, 1))
    assert result.success.tolist() == [True, True, True, True]
    assert result.steps.tolist() == [3, 1, 2, 3]
    assert result.forwards.tolist() == [4, 2, 3, 4]


def test_nan_about_the_clean_image_is_the_models_fault():
    with pytest.raises(ModelError, match=r"logits are NaN for 1 images, the first at 1$"):
        search(SilentBelow().eval(), lasting(16, 2))
