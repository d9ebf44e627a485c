import numpy as np
import pytest
import torch

from robusteval import plugins
from robusteval.search.steps._rule import rule
from robusteval.seeds import generator

NAMES = plugins.names("search.steps")


def test_adam_is_that_of_torch():
    torch.manual_seed(0)
    reference = torch.zeros(2, 3, 4, 4, requires_grad=True)
    optimiser = torch.optim.Adam([reference], lr=0.03, maximize=True)
    start, step = rule("adam", 0.03)
    latents = torch.zeros(2, 3, 4, 4)
    memory = start(latents, None)
    for _ in range(6):
        gradient = torch.randn(2, 3, 4, 4)
        reference.grad = gradient.clone()
        optimiser.step()
        by, memory = step(gradient, memory)
        latents = latents + by
    # Six float32 sums of about 0.03 each.
    torch.testing.assert_close(latents, reference.detach(), atol=1e-6, rtol=1e-5)


def test_settings_reach_the_rule():
    start, step = rule("adam", 0.1, {"epsilon": 1.0})
    zero = torch.zeros(1, 1, 1, 1)
    by, _ = step(zero + 1, start(zero, None))
    assert by.item() == pytest.approx(0.05, abs=1e-6)  # 0.1 * 1 / (1 + 1); 1 - 0.999 in float32


def test_plain_and_sign():
    gradient = torch.tensor([-0.5, 0.0, 4.0]).view(1, 3, 1, 1)
    assert rule("plain", 2.0)[1](gradient, {})[0].flatten().tolist() == [-1, 0, 8]
    assert rule("sign", 2.0)[1](gradient, {})[0].flatten().tolist() == [-2, 0, 2]


def test_a_random_direction_is_an_images_own_and_lasts():
    start, step = rule("random_sign", 0.5)
    latents = torch.zeros(3, 4, 5, 5)
    memory = start(latents, [generator(0, "x", i) for i in range(3)])
    first, memory = step(torch.randn(3, 4, 5, 5), memory)
    second, _ = step(torch.randn(3, 4, 5, 5), memory)
    assert torch.equal(first, second)
    assert set(first.flatten().tolist()) == {-0.5, 0.5}
    alone = start(latents[:1], [generator(0, "x", 2)])["direction"]
    assert torch.equal(alone[0] * 0.5, first[2]) and not torch.equal(first[0], first[1])


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_treated_by_themselves(name):
    start, step = rule(name, 0.1)
    gradient, latents = torch.randn(6, 2, 3, 3), torch.zeros(6, 2, 3, 3)
    generators = [np.random.default_rng(i) for i in range(6)]
    by, _ = step(gradient, start(latents, generators))
    some, _ = step(gradient[2:4], start(latents[2:4], [np.random.default_rng(i) for i in (2, 3)]))
    assert torch.equal(by[2:4], some)
