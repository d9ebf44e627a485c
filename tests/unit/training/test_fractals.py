import pytest
import torch

from robusteval.training import _fractals
from robusteval.training._fractals import fractals


def made(seed=0, count=24, shape=(1, 28, 28)):
    return fractals(count, shape, rng=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("shape", [(1, 28, 28), (3, 20, 33), (1, 4, 4)])
def test_fractals_are_pictures_from_0_to_1(shape):
    pictures = made(shape=shape)
    assert pictures.shape == (24, *shape) and pictures.dtype == torch.float32
    assert pictures.min() >= 0
    assert torch.equal(pictures.amax((1, 2, 3)), torch.ones(24))
    assert (pictures.flatten(1).std(1) > 0.05).all()  # none is constant


def test_the_same_seed_gives_the_same_fractals_and_no_two_are_alike():
    pictures = made()
    assert torch.equal(pictures, made())
    everything = torch.cat([pictures, made(seed=1)]).flatten(1)
    assert len(everything.unique(dim=0)) == 48


def test_a_fractal_reaches_all_four_borders_and_leaves_black():
    met = made()[:, 0] > 0
    for line in (met[:, 0], met[:, -1], met[:, :, 0], met[:, :, -1]):
        assert line.any(1).all()
    covered = met.float().mean((1, 2))
    # Blobs of noise would cover all of the picture, single points next to nothing.
    assert covered.max() < 0.95 and covered.median() > 0.1


def test_colours_differ_within_a_picture_of_three_channels():
    pictures = made(shape=(3, 28, 28))
    share = pictures / pictures.sum(1, keepdim=True).clamp(min=1e-6)
    seen = pictures.sum(1) > 0
    spread = torch.stack([s[:, m].std(1).max() for s, m in zip(share, seen, strict=True)])
    assert (spread > 0.01).float().mean() > 0.9  # two maps of nearly one colour are rare


def test_maps_contract_and_are_drawn_by_the_area_they_leave():
    maps, limits = _fractals._systems(200, torch.Generator().manual_seed(0))
    matrix = maps[:, :4].view(200, 4, 2, 2)
    stretch = torch.linalg.svdvals(matrix)
    # Float32 products of sines and cosines.
    assert stretch.min() > 0.3 - 1e-5 and stretch.max() < 0.9 + 1e-5
    area = torch.linalg.det(matrix).abs()
    chance = torch.diff(limits, prepend=torch.zeros(200, 1), append=torch.ones(200, 1))
    used = chance > 1e-6
    assert set(used.sum(1).tolist()) == {2, 3, 4}
    expected = torch.where(used, area, 0)
    expected /= expected.sum(1, keepdim=True)
    torch.testing.assert_close(chance, expected, atol=1e-5, rtol=0)  # float32 sums of four


def test_a_walk_follows_its_maps():
    maps, limits = _fractals._systems(5, torch.Generator().manual_seed(2))
    x, y, which = _fractals._walk(5, 300, torch.Generator().manual_seed(2))
    a, b, c, d, e, f = maps[4 * torch.arange(5) + which[1:]].unbind(-1)
    # The same float32 operations on the same numbers.
    assert torch.equal(x[1:], a * x[:-1] + b * y[:-1] + e)
    assert torch.equal(y[1:], c * x[:-1] + d * y[:-1] + f)
    chance = torch.diff(limits, prepend=torch.zeros(5, 1), append=torch.ones(5, 1))
    drawn = torch.stack([(which == number).float().mean((0, 1)) for number in range(4)], dim=1)
    assert (drawn - chance).abs().max() < 0.03  # 7,200 draws: a deviation of at most 0.006
