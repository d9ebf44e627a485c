import pytest
import torch
from scipy.stats import kstest

from robusteval.probes._points import blocks, offsets

N, D = 4096, 6
ORDER = {"l1": 1, "l2": 2, "linf": float("inf")}
# How lengths over the radius are distributed: r^6 in a uniform ball, and what the released code
# makes of l2, a product with a uniform number: P(U V^(1/6) < r) = (6 r - r^6) / 5.
LENGTHS = {
    ("l1", True): lambda r: r,
    ("l1", False): lambda r: r**2,
    ("l2", True): lambda r: (6 * r - r**6) / 5,
    ("l2", False): lambda r: r**6,
    ("linf", True): lambda r: r**6,
    ("linf", False): lambda r: r**6,
}


@pytest.mark.parametrize(("ball", "shrunk"), LENGTHS)
def test_lengths_and_directions_are_as_said(ball, shrunk):
    source = torch.Generator().manual_seed(5)
    moves = offsets(N, D, source, ball=ball, radius=2.0, shrunk=shrunk).double()
    length = torch.linalg.vector_norm(moves, ORDER[ball], dim=1) / 2
    assert length.max() <= 1 + 1e-6  # a few roundings of float32
    # One fixed draw: p below 0.001 would be bad luck once in a thousand seeds.
    assert kstest(length.numpy(), LENGTHS[ball, shrunk]).pvalue > 0.001
    # Coordinates have the mean 0; each is at most 2, so that the mean of 4,096 has a standard
    # deviation of at most 2 / 64, four of which are 0.125.
    assert moves.mean(0).abs().max() < 0.125
    assert (moves < 0).double().mean(0).sub(0.5).abs().max() < 4 * 0.5 / 64


def test_points_are_cut_to_the_pixel_scale_and_counted():
    image = torch.tensor([0.0, 0.5, 1.0]).view(3, 1, 1)
    given = {"ball": "linf", "radius": 0.8, "shrunk": False}
    parts = list(blocks(image, torch.Generator().manual_seed(1), 100, **given))
    points = torch.cat(parts)
    assert points.shape == (100, 3, 1, 1)
    assert points.min() == 0 and points.max() == 1
    again = torch.cat(list(blocks(image, torch.Generator().manual_seed(1), 70, **given)))
    assert torch.equal(points[:70], again)
    assert not torch.equal(points[:36], points[64:])  # a block is no copy of the one before
