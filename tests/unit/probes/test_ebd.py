import math

import numpy as np
import pytest
import torch
from torch import nn

from robusteval.models._errors import ModelError
from robusteval.probes._crossing import bisected, crossings
from robusteval.probes._directions import directions as orthogonal
from robusteval.probes.ebd import ebd

STEPS = [2 * k / 255 for k in range(1, 64)]
CAP = 126 / 255
ZERO = torch.zeros(1, dtype=torch.int64)


class Where(nn.Module):
    """Says class 1 where a condition on the flat image (N, D) holds, else class 0."""

    def __init__(self, condition):
        super().__init__()
        self.condition = condition
        self.images = self.passes = 0

    def forward(self, x):
        self.images, self.passes = self.images + len(x), self.passes + 1
        away = self.condition(x.flatten(1)).float()
        return torch.stack([1 - away, away], 1)


@pytest.fixture
def along(monkeypatch):
    """Probes an image of these values, label 0, along these directions."""

    def run(condition, values, rows, **settings):
        rays = torch.tensor(rows)
        monkeypatch.setattr("robusteval.probes.ebd.orthogonal", lambda *_: rays)
        image = torch.tensor(values).view(1, 1, 1, -1)
        found = ebd(Where(condition).eval(), image, ZERO, **settings)
        return found.to_dict("records")

    return run


def test_two_dimensions_by_hand(along):
    rays = (2**0.5 * np.eye(2)).astype(np.float32).tolist()
    (row,) = along(lambda x: x[:, 0] > 0.5, [0.2, 0.5], rays)
    # 56 / 255 = 0.2196 is the first multiple of 2 / 255 beyond 0.3 / sqrt(2) = 0.2121.
    assert row["step"] == 28 and row["distance"] == pytest.approx(56 / 255, rel=1e-15)
    assert row["l2"] == pytest.approx(0.3105724, abs=1e-7)  # as printed
    assert (row["direction"], row["sign"], row["crossed"]) == (0, 1, 1)
    assert row["status"] == "ok" and row["prediction"] == 1
    assert row["forwards"] == 1 + 2 * 28
    # The image is float32: pixels of about 0.5 are known to 3e-8.
    assert row["moved"] == pytest.approx(56 / 255, abs=1e-7)


HADAMARD = [[1.0, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1], [1, -1, -1, 1]]


def test_four_dimensions_by_hand(along):
    (row,) = along(lambda x: x.mean(1) > 0.6, [0.5] * 4, HADAMARD)
    assert (row["step"], row["direction"]) == (13, 0)
    assert row["distance"] == pytest.approx(26 / 255, rel=1e-15)


def test_the_other_side_is_looked_at_if_asked(along):
    one, two = along(lambda x: x.mean(1) < 0.4, [0.5] * 4, HADAMARD, sides=["one", "two"])
    assert (one["distance"], one["status"]) == (CAP, "not reached")
    assert (one["direction"], one["sign"], one["crossed"], one["prediction"]) == (-1, 0, 0, 0)
    assert two["distance"] == pytest.approx(26 / 255, rel=1e-15)
    assert (two["direction"], two["sign"], two["step"]) == (0, -1, 13)
    assert one["forwards"] == two["forwards"] == 1 + 4 * 63 + 4 * 13


def test_the_nearer_side_is_the_answer(along):
    near, far = along(
        lambda x: abs(x.mean(1) - 0.45) > 0.1, [0.5] * 4, HADAMARD, sides=("two", "one")
    )
    assert near["step"] == far["step"] == 7  # 0.05 up, 14 / 255 = 0.055; 0.15 down
    assert near["sign"] == 1


def test_an_image_already_wrong_is_0_away_and_costs_nothing(along):
    (row,) = along(lambda x: x.mean(1) < 0.6, [0.5] * 4, HADAMARD)
    assert (row["distance"], row["status"], row["forwards"]) == (0, "misclassified", 1)


def test_the_cut_shortens_the_move(along):
    (row,) = along(lambda x: x[:, 0] > 0.8, [0.5, 1.0, 1.0, 1.0], HADAMARD)
    assert row["step"] == 39  # 78 / 255 = 0.306
    # Only the first of four values could move on; float32 pixels.
    assert row["moved"] == pytest.approx(78 / 255 / 2, abs=1e-7)


def plain(condition, image, rays, signs):
    """Walk along one ray after the other, magnitude by magnitude, as the definition has it."""
    best = CAP
    for ray in rays:
        for sign in signs:
            for magnitude in STEPS:
                if condition((image + sign * magnitude * ray).clamp(0, 1)[None])[0]:
                    best = min(best, magnitude)
                    break
    return best


@pytest.mark.parametrize("seed", range(4))
def test_against_the_plain_loop_where_rays_leave_and_come_back(seed):
    """Bands of the other class, which a bisection would step over."""
    rays = orthogonal(12, 12, seed)
    image = torch.rand(12, generator=torch.Generator().manual_seed(seed))
    weight = torch.randn(12, generator=torch.Generator().manual_seed(seed + 9))
    middle = float(image @ weight)

    def condition(x):
        return torch.sin(60 * ((x * weight).sum(1) - middle)) > 0.9

    model = Where(condition).eval()
    found, _ = crossings(model, image.view(3, 2, 2), 0, rays, STEPS, ["one", "two"], 16)
    for side, signs in (("one", [1]), ("two", [1, -1])):
        step = found[side].step
        assert (STEPS[step - 1] if step else CAP) == plain(condition, image, rays, signs)
    ray = rays[found["one"].direction]
    further = [condition((image + m * ray)[None])[0] for m in STEPS[found["one"].step :]]
    assert found["one"].step > 0 and not all(further)  # it does come back


def both_searches(model, images, labels):
    return (
        ebd(model, images, labels, sides=["two", "one"], directions=150, search=search)
        for search in ("scan", "bisect")
    )


def test_bisection_agrees_where_rays_do_not_come_back():
    """A linear model whose boundary is nearer than the edge of the cube."""
    source = torch.Generator().manual_seed(5)
    images = 0.5 + 0.1 * torch.rand(8, 3, 8, 8, generator=source)
    weight = torch.randn(192, generator=source)
    middle = float((images.flatten(1) @ weight).max()) + 0.5
    model = Where(lambda x: x @ weight > middle).eval()
    scan, bisect = both_searches(model, images, torch.zeros(8).long())
    same = ["row", "sides", "distance", "step", "status"]
    assert scan[same].equals(bisect[same])
    assert (bisect["status"] == "ok").any()
    assert bisect["forwards"].sum() < scan["forwards"].sum()


def test_bisection_on_a_network_is_never_below_the_scan(network, images, labels):
    scan, bisect = both_searches(network, images, labels)
    assert (bisect["distance"] >= scan["distance"]).all()
    assert (bisect["step"] > 0).sum() > 8


@pytest.mark.parametrize("seed", range(4))
def test_bisection_never_says_less_than_the_scan(seed):
    rays = orthogonal(12, 12, seed)
    image = torch.rand(3, 2, 2, generator=torch.Generator().manual_seed(seed))
    middle = image.mean()
    model = Where(lambda x: torch.sin(300 * (x.mean(1) - middle)) > 0.7).eval()
    given = model, image, 0, rays, STEPS, ["one", "two"], 16
    scan, bisect = crossings(*given)[0], bisected(*given)[0]
    for side in ("one", "two"):
        assert scan[side].step > 0 and bisect[side].step in {0, *range(scan[side].step, 64)}
        if bisect[side].step:
            sign, ray = bisect[side].sign, rays[bisect[side].direction]
            point = (image + sign * STEPS[bisect[side].step - 1] * ray.view(3, 2, 2)).clamp(0, 1)
            assert model(point[None]).argmax() == 1 == bisect[side].prediction


def test_bisection_by_hand(along):
    (row,) = along(lambda x: x.mean(1) < 0.4, [0.5] * 4, HADAMARD, sides="two", search="bisect")
    assert (row["step"], row["direction"], row["sign"]) == (13, 0, -1)
    (row,) = along(lambda x: x.mean(1) < 0.4, [0.5] * 4, HADAMARD, search="bisect")
    assert (row["distance"], row["status"], row["forwards"]) == (CAP, "not reached", 5)


def test_directions_are_orthogonal_and_of_length_sqrt_size():
    rays = orthogonal(40, 200, 0).double()
    # Float32 sums of 200 products of numbers of about 1: some 200 * 6e-8, against the length.
    assert torch.allclose(rays @ rays.T, 200 * torch.eye(40).double(), rtol=0, atol=200 * 2e-5)


def test_directions_are_the_first_of_more_and_at_most_as_many_as_values():
    many, few = orthogonal(40, 200, 0), orthogonal(10, 200, 0)
    assert torch.allclose(many[:10], few, rtol=0, atol=1e-4)  # float32 rounding, as above
    assert orthogonal(1000, 12, 0).shape == (12, 12)
    assert not torch.allclose(orthogonal(10, 200, 1), few, atol=0.1)


def test_directions_are_uniform_in_sign():
    """A factorisation with signs of its own would give every first entry the same sign."""
    first = torch.stack([orthogonal(1, 8, seed)[0, 0] for seed in range(60)])
    # 60 fair coins: fewer than 15 or more than 45 heads have a chance of 4e-5; seeds are fixed.
    assert 15 <= int((first > 0).sum()) <= 45


def test_passes_are_batched_and_end_at_the_first_crossing():
    model = Where(lambda x: x.mean(1) > 0.55).eval()
    image = torch.full((1, 3, 8, 8), 0.5)
    (row,) = ebd(model, image, ZERO, directions=192, sides="one").to_dict("records")
    assert row["directions"] == 192 and row["status"] == "ok"
    # One for the image, then three of 64 rays at each magnitude up to the crossing.
    assert model.passes == 1 + 3 * row["step"]
    assert row["forwards"] == 1 + 192 * row["step"]
    assert model.passes < 192 * 64 / 10


def test_logits_that_become_nan_are_told_image_by_image():
    class Hole(nn.Module):
        def forward(self, x):
            return torch.stack([1 + 0 * x.sum((1, 2, 3)), (0.55 - x.amax((1, 2, 3))).sqrt()], 1)

    images = torch.stack([torch.full((1, 2, 2), 0.5), torch.full((1, 2, 2), 0.1)])
    found = ebd(Hole().eval(), images, ZERO.repeat(2), magnitudes=16)
    assert found["status"].to_list() == ["logits not finite", "not reached"]
    assert math.isnan(found["distance"][0]) and found["distance"][1] == 30 / 255


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"search": "guess"}, "search 'guess': one of scan, bisect"),
        ({"sides": "three"}, "sides 'three': one or several of one, two"),
        ({"directions": 0}, "directions 0"),
        ({"magnitudes": 1}, "magnitudes 1"),
        ({"step": 0.0}, r"step 0\.0"),
        ({"step": math.nan}, "step nan"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(network, images, labels, settings, message):
    with pytest.raises(ValueError, match=message):
        ebd(network, images, labels, **settings)


def test_a_model_with_one_class_cannot_be_probed(images):
    with pytest.raises(ModelError, match=r"\(8, 1\).*at least 2"):
        ebd(nn.Sequential(nn.Flatten(), nn.Linear(192, 1)).eval(), images, torch.zeros(8).long())


def test_a_model_without_gradients_can_be_probed(images):
    model = Where(lambda x: x.mean(1) > 0.55).eval()
    assert len(ebd(model, images, torch.zeros(8).long(), directions=16, magnitudes=4)) == 8
