"""The Square attack's squares by hand, and what its search achieves."""

import pytest
import torch

from robusteval.attacks._squares import corner, inside, placed, pyramids, sides
from robusteval.attacks.square import square


def test_squares_shrink_on_the_papers_schedule():
    side = sides(10_000, 0.05, 32, 32)  # 51.2 pixels: sides 7, 5, 4, 3, 2, 1
    assert side[[0, 10, 11, 50, 51, 200, 201, 1001, 2001]].tolist() == [7, 7, 5, 5, 4, 4, 3, 2, 1]
    assert side[-1] == 1
    assert torch.equal(sides(1000, 0.05, 32, 32), side[::10])
    assert sides(10, 1.0, 8, 4).max() == 4


def test_corners_reach_both_ends_and_no_further():
    draw = torch.tensor([0.0, 0.5, 1 - 2**-24])
    assert corner(draw, torch.tensor([3, 3, 3]), 8).tolist() == [0, 3, 5]
    assert corner(draw, torch.tensor([8, 8, 9]), 8).tolist() == [0, 0, 0]


def test_inside_is_the_square():
    mask = inside(torch.tensor([1]), torch.tensor([2]), torch.tensor([2]), 4, 5)
    assert mask[0, 0].nonzero().tolist() == [[1, 2], [1, 3], [2, 2], [2, 3]]


@pytest.mark.parametrize("side", [1, 2, 3, 7, 8])
def test_pyramids_have_length_1_and_both_signs(side):
    pattern = pyramids(side)
    assert pattern.shape == (side, side)
    assert abs(pattern.norm() - 1) < 1e-6  # rounding of at most 64 float32 terms
    assert pattern.min() < 0
    assert side == 1 or pattern.max() > 0


def test_a_pyramid_is_highest_in_the_middle():
    pattern = pyramids(7)
    assert pattern[3, 1] == pattern.max()
    assert pattern[0, 0] < pattern[1, 1] < pattern[3, 1]


def test_patterns_come_where_they_belong():
    table = torch.zeros(2, 2, 2)
    table[1] = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    made = placed(table, torch.tensor([1, 0]), torch.tensor([1, 0]), torch.tensor([2, 0]), (3, 4))
    expected = [[0, 0, 0, 0], [0, 0, 1, 2], [0, 0, 3, 4]]
    assert made[0, 0].tolist() == expected
    assert made[1].abs().sum() == 0


@pytest.mark.parametrize(("norm", "eps"), [("linf", 0.08), ("l2", 1.5)])
def test_more_queries_find_more(model, images_and_labels, generators, norm, eps):
    images, labels = images_and_labels

    def rate(queries):
        draws = generators(torch.arange(80))
        settings = {"eps": eps, "norm": norm, "queries": queries}
        return square(model, images, labels, generators=draws, **settings).success.float().mean()

    few, many = rate(2), rate(150)
    assert many > few + 0.3
    assert many > 0.5


def test_a_failed_search_uses_the_whole_ball(model, images_and_labels, generators):
    images, labels = images_and_labels
    for norm, eps in (("linf", 0.01), ("l2", 0.1)):
        draws = generators(torch.arange(80))
        found = square(model, images, labels, generators=draws, eps=eps, norm=norm, queries=30)
        failed = ~found.success
        assert failed.sum() > 40
        assert (found.forwards[failed] == 31).all()
        change = (found.images - images).flatten(1)[failed]
        size = change.abs().amax(1) if norm == "linf" else change.norm(dim=1)
        # pixels that end at 0 or 1 take up less
        assert (size > 0.9 * eps).all()


@pytest.mark.parametrize("norm", ["linf", "l2"])
@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 1, 9), (2, 5, 2)])
def test_images_of_any_shape(generators, norm, shape):
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.LazyLinear(3))
    images = torch.full((4, *shape), 0.5)
    model(images)
    labels = model(images).argmax(1)
    draws = generators(torch.arange(4))
    found = square(model.eval(), images, labels, generators=draws, eps=0.1, norm=norm, queries=20)
    assert found.images.isfinite().all()
    assert (found.images != images).flatten(1).any(1).all()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"norm": "l1"}, "norm 'l1': one of linf, l2 expected"),
        ({"eps": -1}, "eps -1"),
        ({"queries": 0}, "queries 0"),
        ({"share": 0}, "share 0"),
        ({"share": 2}, "share 2"),
        ({}, "squares are random: generators expected"),
    ],
)
def test_unusable_settings_are_refused(model, images_and_labels, wrong, message):
    with pytest.raises(ValueError, match=message):
        square(model, *images_and_labels, **({"eps": 0.1} | wrong))
