from dataclasses import fields, replace

import numpy as np
import pytest
import torch

from robusteval.metrics.kmncov import kmncov
from robusteval.metrics.nbcov import nbcov
from robusteval.metrics.nc import nc
from robusteval.metrics.snacov import snacov
from robusteval.metrics.tkncov import tkncov
from robusteval.metrics.tknpat import tknpat
from robusteval.neurons._coverage import hits_of, together
from robusteval.neurons._hits import active, sections_hit, top_of
from robusteval.neurons._ranges import ranges_of

TRAINING = ((0, -1, 0), (2, 1, 10), (4, 0, 5))
TESTED = ((0.5, 1.5, -2), (4.0, -1.0, 2.5), (5, -3, 9.9))


@pytest.fixture
def three(passing_on, rows):
    """A model of three neurons, and their ranges: (0, -1, 0) to (4, 1, 10)."""
    model = passing_on(3)
    return model, ranges_of(model, rows(*TRAINING))


def equal(one, other):
    return all(np.array_equal(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))


def test_lots_taken_together_are_the_whole(three, rows):
    model, ranges = three
    lots = [hits_of(model, rows(*TESTED[a:b]), ranges, sections=4) for a, b in ((0, 1), (1, 3))]
    assert equal(together(lots), hits_of(model, rows(*TESTED), ranges, sections=4))
    assert together(lots[:1]) is lots[0]


def test_three_neurons_by_hand(three, rows):
    hits = hits_of(three[0], rows(*TESTED), three[1], sections=4)
    assert hits.sections.tolist() == [
        [True, False, False, True],  # 0.5 and 4.0, the upper end; 5 is outside
        [True, False, False, False],  # -1.0, the lower end
        [False, True, False, True],  # 2.5, where the second section begins, and 9.9
    ]
    assert kmncov(hits.sections, hits.constant) == 5 / 12
    assert hits.above.tolist() == [True, True, False]
    assert hits.below.tolist() == [False, True, True]
    assert nbcov(hits.above, hits.below) == 4 / 6
    assert snacov(hits.above) == 2 / 3


def test_the_ends_are_inside(three, rows):
    hits = hits_of(three[0], rows((0, -1, 0), (4, 1, 10)), three[1], sections=4)
    assert not hits.above.any() and not hits.below.any()
    assert hits.sections[:, [0, 3]].all()


def test_wider_bounds_leave_fewer_beyond(three, rows):
    # Neuron 1 has a standard deviation of sqrt(8 / 3) = 1.63, so 5 is not above 4 + 1.63.
    hits = hits_of(three[0], rows(*TESTED), three[1], sigma=1.0)
    assert hits.above.tolist() == [False, False, False]
    assert hits.below.tolist() == [False, True, False]


def test_a_constant_neuron_hits_no_section_and_does_not_count(passing_on, rows):
    model = passing_on(2)
    hits = hits_of(model, rows((7, 1)), ranges_of(model, rows((7, 0), (7, 2))), sections=4)
    assert hits.constant.tolist() == [True, False] and not hits.sections[0].any()
    assert kmncov(hits.sections, hits.constant) == 1 / 4


def test_largest_neurons_by_hand():
    a = np.array([[1.0, 5, 2], [4, 3, 0]])[..., None]
    b = np.array([[0.1, 0.9], [0.2, 0.8]])[..., None]
    for k, coverage, patterns in ((1, 3 / 5, 2), (2, 1.0, 2)):
        tops = [top_of(a, k), top_of(b, k)]
        reached = [np.isin(np.arange(u), top) for u, top in zip((3, 2), tops, strict=True)]
        assert tkncov(np.concatenate(reached)) == coverage
        assert tknpat(np.hstack(tops)) == patterns
    assert top_of(np.array([[1.0, 1.0, 1.0]])[..., None], 2).tolist() == [[0, 1]]


def test_largest_neurons_of_a_model(passing_on, rows):
    model = passing_on(3)
    images = rows((1, 5, 2), (4, 3, 0), (2, 5, 1), (4, 3, 0))
    hits = hits_of(model, images, ranges_of(model, images), top=1, pattern=1)
    assert hits.top.tolist() == [True, True, False]
    assert tknpat(hits.patterns) == 2
    two = hits_of(model, images, ranges_of(model, images), pattern=2)
    assert tknpat(two.patterns) == 2  # {1, 2} and {0, 1} twice; the order of the two is no matter


def test_active_neurons_by_hand():
    values = np.array([[0.0, 5.0, 10.0], [2.0, 2.0, 2.0]])[..., None]
    assert active(values, 0.5).tolist() == [False, False, True]  # 0, 0.5 and 1; the other is flat
    assert nc(active(values, 0.4)) == 2 / 3
    assert active(values, 1.0, scaled=False).tolist() == [True, True, True]


def test_against_a_loop(network, images):
    ranges = ranges_of(network, images[:40], positions="any")
    hits = hits_of(network, images[40:70], ranges, sections=7)
    with torch.no_grad():
        maps = [network.conv1(images[40:70]).double().flatten(2).numpy()]
    for u in range(6):
        low, high = ranges.low[u], ranges.high[u]
        edges = low + (high - low) * np.arange(8) / 7
        for j in range(7):
            v = maps[0][:, u]
            upper = v <= edges[j + 1] if j == 6 else v < edges[j + 1]
            assert hits.sections[u, j] == ((v >= edges[j]) & upper).any()
        assert hits.above[u] == (maps[0][:, u] > high).any()
        assert hits.below[u] == (maps[0][:, u] < low).any()


@pytest.mark.parametrize("positions", ["mean", "any"])
@pytest.mark.parametrize("batch_size", [1, 2, 16, 256])
def test_width_and_order_do_not_matter(network, images, positions, batch_size):
    ranges = ranges_of(network, images[:40], positions=positions)
    expected = hits_of(network, images, ranges, sections=20)
    assert equal(hits_of(network, images, ranges, sections=20, batch_size=batch_size), expected)
    assert equal(hits_of(network, images.flip(0), ranges, sections=20), expected)


def test_an_image_of_the_second_pass_counts(three, rows):
    """The 65th image alone is beyond the bounds."""
    images = torch.cat([rows((2, 0, 5)).repeat(64, 1, 1, 1), rows((9, 9, 99))])
    assert snacov(hits_of(three[0], images, three[1]).above) == 1.0


def test_sections_never_fall_off_the_end():
    """Rounding may bring a value just below the upper end to share * sections = sections."""
    low, high = np.array([0.1]), np.array([0.7])
    values = np.nextafter(high, low).reshape(1, 1, 1)
    assert np.flatnonzero(sections_hit(values, low, high, 10**6)).tolist() == [10**6 - 1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sections": 0}, "sections 0: at least 1"),
        ({"top": 0}, "top 0: at least 1"),
        ({"pattern": 0}, "pattern 0: at least 1"),
        ({"sigma": -1.0}, "sigma -1.0: at least 0"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(three, rows, settings, message):
    with pytest.raises(ValueError, match=message):
        hits_of(three[0], rows(*TESTED), three[1], **settings)


def test_ranges_of_another_model_are_refused(three, rows):
    with pytest.raises(ValueError, match=r"the ranges are of .* profile this model"):
        hits_of(three[0], rows(*TESTED), replace(three[1], sizes=(4,)))
    with pytest.raises(ValueError, match="layer 'conv9': there is none"):
        hits_of(three[0], rows(*TESTED), replace(three[1], layers=("conv9",)))
    with pytest.raises(ValueError, match="no image"):
        hits_of(three[0], rows(*TESTED)[:0], three[1])
