"""PGD in L1: the projection against what a nearest point must satisfy, the step by hand."""

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from robusteval.attacks._l1_ball import projected_l1, random_point_l1
from robusteval.attacks.pgd_l1 import pgd_l1, sparse_direction
from robusteval.seeds import generator


def images(values):
    return torch.tensor(values, dtype=torch.float32).view(1, 1, 1, -1)


def test_projection_by_hand():
    x0 = images([0.5, 0.5, 0.5, 0.9])
    # Changes 0.4, -0.2, 0.05 and 0.3, of which the range leaves 0.1: lessened by 0.1 they are 0.3,
    # 0.1, 0 and 0.1, that is 0.5 in all. One set after the other would end elsewhere.
    x = images([0.9, 0.3, 0.55, 1.2])
    expected = images([0.8, 0.4, 0.5, 1.0])
    torch.testing.assert_close(projected_l1(x, x0, 0.5), expected, atol=1e-6, rtol=0)  # float32


def test_points_inside_stay():
    x0 = images([0.5, 0.5, 0.5, 0.9])
    x = images([0.6, 0.4, 0.5, 1.0])
    assert torch.equal(projected_l1(x, x0, 0.5), x)
    assert torch.equal(projected_l1(x0, x0, 0.0), x0)


@pytest.mark.parametrize("seed", range(4))
def test_no_point_of_ball_and_range_is_nearer(seed):
    draws = generator("l1", seed)
    x0 = draws.random(6).astype(np.float32)
    x = (x0 + draws.normal(0, 0.5, 6)).astype(np.float32)
    found = projected_l1(images(x), images(x0), 0.7).flatten().double().numpy()
    # A general solver, on parts p - q of the change so that the constraint is smooth.
    split = minimize(
        lambda v: ((x0 + v[:6] - v[6:] - x) ** 2).sum(),
        np.full(12, 0.01),
        bounds=[(0, 1 - b) for b in x0.astype(float)] + [(0, b) for b in x0.astype(float)],
        constraints={"type": "ineq", "fun": lambda v: 0.7 - v.sum()},
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 500},
    ).x
    assert np.abs(found - x0).sum() <= 0.7 + 1e-6  # float32
    np.testing.assert_allclose(found, x0 + split[:6] - split[6:], atol=1e-4)  # the solver's


def test_random_points_fill_the_ball():
    x0 = torch.full((3000, 1, 1, 4), 0.5)
    points = random_point_l1(x0, [generator("ball", i) for i in range(3000)], 0.4)
    length = (points - x0).abs().sum((1, 2, 3)).numpy()
    assert length.max() <= 0.4 + 1e-6
    # Uniform in 4 dimensions: (length / radius)^4 is uniform, its mean known to 0.29 / sqrt(3000).
    assert abs(((length / 0.4) ** 4).mean() - 0.5) < 0.02
    assert abs((points - x0).mean()) < 0.005


def test_a_step_moves_the_largest_slopes_that_have_room():
    x = images([0.5, 1.0, 0.0, 0.5])
    gradient = images([1.0, 9.0, -8.0, -2.0])
    assert torch.equal(sparse_direction(x, gradient, 0.25), images([0, 0, 0, -1.0]))
    assert torch.equal(sparse_direction(x, gradient, 0.5), images([0.5, 0, 0, -0.5]))
    assert torch.equal(sparse_direction(x, 0 * gradient, 0.5), images([0, 0, 0, 0.0]))


def test_a_linear_model_is_turned_where_its_weights_are_largest(linear):
    weight = torch.tensor([0.1, 1.0, -0.5, 0.2])
    x = torch.full((1, 1, 2, 2), 0.5)
    label = torch.zeros(1, dtype=torch.int64)
    settings = {"step_size": 0.02, "steps": 12, "share": 0.25}
    moved = pgd_l1(linear(weight), x, label, eps=0.11, **settings)
    # Margin -0.1: a change of 0.1 along the one weight of 1 is the shortest in L1.
    assert bool(moved.success)
    expected = torch.tensor([0.5, 0.61, 0.5, 0.5])
    torch.testing.assert_close(moved.images.flatten(), expected, atol=1e-6, rtol=0)  # float32
    assert not bool(pgd_l1(linear(weight), x, label, eps=0.09, **settings).success)


def test_impossible_settings_are_refused(model, images_and_labels):
    with pytest.raises(ValueError, match="share 0"):
        pgd_l1(model, *images_and_labels, eps=1.0, step_size=0.1, share=0)
    with pytest.raises(ValueError, match="a random start needs generators"):
        pgd_l1(model, *images_and_labels, eps=1.0, step_size=0.1, random_start=True)
