"""Balls, directions and random points in them."""

import numpy as np
import pytest
import torch

from robusteval.attacks._norms import projected, random_point, steepest
from robusteval.seeds import generator


def column(*values):
    return torch.tensor(values).view(1, 1, -1, 1)


def test_projection_by_hand():
    x0, x = column(0.5, 0.5), column(0.75, 1.0)
    assert torch.equal(projected(x, x0, 0.125, "linf"), column(0.625, 0.625))
    x0, x = column(0.25, 0.25), column(0.625, 0.75)  # 3-4-5: length 0.625, halved
    assert torch.equal(projected(x, x0, 0.3125, "l2"), column(0.4375, 0.5))


@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_points_inside_stay(norm):
    x0, x = column(0.5, 0.5), column(0.5625, 0.375)
    assert torch.equal(projected(x, x0, 1.0, norm), x)
    assert torch.equal(projected(x0, x0, 0.0, norm), x0)


@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_projection_ends_in_range(norm):
    assert torch.equal(projected(column(1.5, -0.5), column(1.0, 0.0), 2.0, norm), column(1.0, 0.0))


@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_each_image_may_have_its_own_radius(norm):
    x0 = torch.full((2, 1, 1, 1), 0.5)
    moved = projected(x0 + 0.5, x0, torch.tensor([0.125, 0.25]), norm)
    assert torch.equal(moved.flatten(), torch.tensor([0.625, 0.75]))


def test_directions_by_hand():
    assert torch.equal(steepest(column(3.0, -4.0, 0.0), "linf"), column(1.0, -1.0, 0.0))
    expected = column(0.6, -0.8, 0.0)
    # one division in float32, relative error 2^-24 = 6e-8
    torch.testing.assert_close(
        steepest(column(3.0, -4.0, 0.0), "l2"), expected, atol=0, rtol=1.2e-7
    )


@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_no_gradient_no_direction(norm):
    assert torch.equal(steepest(column(0.0, 0.0), norm), column(0.0, 0.0))


@pytest.fixture(scope="module")
def generators():
    return [generator("norms", i) for i in range(4000)]


def test_random_points_fill_the_cube_evenly(generators):
    delta = (
        random_point(torch.full((4000, 3, 1, 1), 0.5), generators, 0.25, "linf").flatten(1) - 0.5
    )
    share = delta / 0.25
    assert share.abs().max() <= 1
    # mean 0 and mean square 1/3 of U(-1, 1), each within 4 standard errors of 12,000 draws
    assert abs(share.mean()) < 4 * np.sqrt(1 / 3 / 12_000)
    assert abs((share**2).mean() - 1 / 3) < 4 * np.sqrt((1 / 5 - 1 / 9) / 12_000)


def test_random_points_fill_the_euclidean_ball_evenly(generators):
    delta = random_point(torch.full((4000, 3, 1, 1), 0.5), generators, 0.25, "l2").flatten(1) - 0.5
    radius = delta.norm(dim=1) / 0.25
    assert radius.max() <= 1 + 1e-6  # float32 rounding of 0.5 + delta, 3e-8 against 0.25
    # In 3 dimensions radius^3 is U(0, 1): mean 1/2, mean square 1/3, within 4 standard errors.
    assert abs((radius**3).mean() - 1 / 2) < 4 * np.sqrt(1 / 12 / 4000)
    assert abs((radius**6).mean() - 1 / 3) < 4 * np.sqrt((1 / 5 - 1 / 9) / 4000)
    # No direction is preferred: the mean of a coordinate is 0, its mean square 1/5 of the radius'.
    assert (delta.mean(0).abs() < 4 * 0.25 * np.sqrt(1 / 5 / 4000)).all()


@pytest.mark.parametrize("norm", ["linf", "l2"])
def test_random_points_are_cut_to_the_range(norm):
    points = random_point(torch.ones(50, 1, 2, 2), [generator(i) for i in range(50)], 0.5, norm)
    assert points.dtype == torch.float32
    assert points.max() == 1
    assert points.min() >= 0.5
