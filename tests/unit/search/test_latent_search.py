"""The search on a line, where every step is known, and on networks, where bits are compared."""

from dataclasses import fields

import numpy as np
import pytest
import torch
from torch import nn

from robusteval.batches import as_tensor
from robusteval.generators._passes import in_passes
from robusteval.metrics.fmr import fmr
from robusteval.metrics.perturbed_accuracy import perturbed_accuracy
from robusteval.oracles._oracle import Oracle, judged
from robusteval.oracles.supervised import supervised
from robusteval.oracles.zoo import zoo
from robusteval.search._found import Found, check_accepted, trace
from robusteval.search.latent_search import latent_search
from robusteval.seeds import generator as draws


def pixel(*values):
    """Return images of one pixel for points z of the line: z / 8 + 0.5, exact in binary."""
    return torch.tensor(values).view(-1, 1, 1, 1) / 8 + 0.5


class Above(nn.Module):
    """Logits that say 1 where the point is above ``limit``."""

    def __init__(self, limit):
        super().__init__()
        self.limit = limit / 8 + 0.5

    def forward(self, images):
        point = images.flatten(1)
        return torch.cat([torch.full_like(point, self.limit), point], 1)


class Says(Oracle):
    """Accepts label 1 where a condition on the point holds."""

    def __init__(self, condition):
        super().__init__()
        self.condition = condition

    def probabilities(self, images):
        yes = self.condition((images.flatten() - 0.5) * 8).float()
        return torch.stack([1 - yes, yes], 1)


def on_a_line(identity, x, budget, eta, oracle=None, **options):
    images = pixel(*np.atleast_1d(x).tolist())
    return latent_search(
        Above(0).eval(),
        identity,
        oracle or supervised(Above(-1)),
        images,
        torch.ones(len(images), dtype=torch.int64),
        budget=budget,
        step_size=eta / 8,
        eight_bit=False,
        **options,
    )


@pytest.mark.parametrize(
    ("x", "budget", "eta", "z", "valid", "accepted", "right"),
    [
        (2.0, 50, 1.0, 0.0, True, 2, False),
        (2.0, 1, 1.0, 1.0, True, 1, True),
        (2.0, 0, 1.0, 2.0, True, 0, True),
        (2.0, 50, 0.5, -0.5, True, 5, False),
        (-2.0, 50, 1.0, -2.0, False, 0, False),
    ],
)
def test_on_a_line(identity, x, budget, eta, z, valid, accepted, right):
    found = on_a_line(identity, x, budget, eta)
    assert torch.equal(found.images, pixel(z))
    assert torch.equal(found.latents, pixel(z))
    assert torch.equal(found.round_trips, pixel(x))
    assert (found.valid.item(), found.steps.item()) == (valid, accepted)
    assert bool(Above(0)(found.images).argmax()) == right
    # One for the round trip, one a step, one for an image that was rejected later.
    assert found.tries.item() == 1 + accepted + (valid and accepted < budget)


def test_a_rejected_search_does_not_resume(identity):
    """The next step but one would be accepted again."""
    oracle = Says(lambda z: (z > 1.5) | (z < 0)).eval()
    found = on_a_line(identity, 2.0, 50, 1.0, oracle)
    assert torch.equal(found.images, pixel(2.0)) and found.steps.item() == 0


@pytest.mark.parametrize(("rule", "z"), [("majority", -0.5), ("all", 0.0)])
def test_the_rule_of_the_zoo_says_how_far(identity, rule, z):
    oracle = zoo([supervised(Above(limit)) for limit in (-1, -1, -0.2)], rule=rule)
    found = on_a_line(identity, 2.0, 50, 0.5, oracle)
    assert torch.equal(found.images, pixel(z))


def test_the_trace_has_every_image_that_was_judged(identity):
    found = on_a_line(identity, [2.0, -2.0, 1.0], 5, 1.0)
    rows = trace(vars(found), np.array([7, 8, 9]))
    assert rows["image_id"].tolist() == [7] * 4 + [8] + [9] * 3
    assert rows["step"].tolist() == [0, 1, 2, 3, 0, 0, 1, 2]
    assert rows["accepted"].tolist() == [True] * 3 + [False] * 2 + [True] * 2 + [False]
    points = torch.tensor([2.0, 1, 0, -1, -2, 1, 0, -1]) / 8
    assert rows["right"].tolist() == (points > 0).tolist()
    expected = nn.functional.softplus(-points).numpy()
    assert rows["loss"].to_numpy() == pytest.approx(expected, abs=1e-6)  # float32
    assert found.losses.isnan().sum() == 18 - 8


def test_the_plain_step_is_the_gradient(identity):
    found = on_a_line(identity, 0.0, 1, 8.0, step="plain")
    # The slope of softplus(0.5 - x) at x = 0.5 is -0.5, the step size 1.
    assert torch.equal(found.images, pixel(0.0))  # the oracle rejects the step to -4
    small = on_a_line(identity, 0.0, 1, 0.8, step="plain")
    assert small.images.item() == pytest.approx(0.5 - 0.1 * 0.5, abs=1e-7)  # float32


def test_without_an_oracle_everything_is_accepted(scene):
    found = latent_search(
        scene.model, scene.generator, None, scene.images, scene.labels, budget=5, step_size=0.03
    )
    assert found.valid.all() and set(found.steps.tolist()) == {5}


def search(scene, which=slice(None), **options):
    return latent_search(
        scene.model,
        scene.generator,
        scene.oracle,
        scene.images[which],
        scene.labels[which],
        **{"budget": 12, "step_size": 0.03} | options,
    )


@pytest.fixture(scope="module")
def whole(scene):
    return search(scene)


def test_the_scene_has_all_that_may_happen(whole):
    """Rejected at once, after some steps, and never."""
    assert (~whole.valid).sum() >= 10 and whole.valid.sum() > 50 and not whole.odd.any()
    assert len(set(whole.steps.tolist())) > 5
    assert (whole.steps == 12).any()
    assert not torch.equal(whole.images[whole.valid], whole.round_trips[whole.valid])


def same(found, other, which=slice(None)):
    for field in fields(Found):
        mine, theirs = getattr(found, field.name), getattr(other, field.name)[which]
        assert torch.equal(mine.nan_to_num(-1.0), theirs.nan_to_num(-1.0)), field.name


@pytest.mark.parametrize("step", ["sign", "plain", "adam", "random_sign"])
def test_an_image_does_not_depend_on_its_batch(scene, step):
    def some(which, **options):
        generators = [draws(0, "search", i) for i in np.arange(90)[which].tolist()]
        sizes = {"plain": 5.0, "random_sign": 0.3}
        size = sizes.get(step, 0.03)
        return search(scene, which, generators=generators, step=step, step_size=size, **options)

    everything = some(slice(None))
    assert everything.steps.unique().numel() > 3
    backwards = np.arange(90)[::-1].copy()
    same(some(backwards), everything, backwards)
    same(some(slice(None), batch_size=16), everything)
    same(some(slice(40, 45)), everything, slice(40, 45))
    same(some(slice(77, 78)), everything, slice(77, 78))


def test_no_image_is_left_that_the_oracle_rejects(scene, whole):
    """Judged again from the bytes that an image set holds."""
    stored = (whole.images.permute(0, 2, 3, 1) * 255).round().to(torch.uint8).numpy()
    assert torch.equal(as_tensor(stored), whole.images)
    _, accepted = judged(scene.oracle, as_tensor(stored), scene.labels)
    assert accepted[whole.valid].all()
    assert torch.equal(whole.images[~whole.valid], scene.images[~whole.valid])


def test_what_is_valid_depends_on_the_round_trip_alone(scene, whole):
    _, accepted = judged(scene.oracle, whole.round_trips, scene.labels)
    assert torch.equal(accepted, whole.valid)
    other = latent_search(
        scene.oracle.members[2].model,
        scene.generator,
        scene.oracle,
        scene.images,
        scene.labels,
        budget=12,
        step_size=0.03,
    )
    assert torch.equal(other.valid, whole.valid)
    assert not torch.equal(other.images, whole.images)


def test_without_a_budget_the_round_trip_is_left(scene, whole):
    found = search(scene, budget=0)
    assert torch.equal(found.images[found.valid], whole.round_trips[whole.valid])
    assert torch.equal(found.valid, whole.valid) and not found.steps.any()


def test_latents_are_those_of_the_image_that_is_kept(scene, whole):
    decoded = (in_passes(scene.generator.decode, whole.latents) * 255).round() / 255
    assert torch.equal(decoded[whole.valid], whole.images[whole.valid])
    starts = search(scene, budget=0).latents
    assert torch.equal(starts, in_passes(scene.generator.encode, scene.images))


def right(model, images, labels):
    return (model(images).argmax(1) == labels).numpy()


def test_an_oracle_that_is_the_model_never_finds_it_wrong(scene):
    found = latent_search(
        scene.model,
        scene.generator,
        supervised(scene.model),
        scene.images,
        scene.labels,
        budget=12,
        step_size=0.03,
    )
    clean, after = (
        right(scene.model, images, scene.labels) for images in (scene.images, found.images)
    )
    valid = found.valid.numpy()
    assert perturbed_accuracy(after, valid) == 1
    assert clean.mean() < 1 < fmr(clean, after, valid)


def test_the_gradient_finds_higher_losses_than_a_random_direction(scene, whole):
    generators = [draws(0, "search", i) for i in range(90)]
    control = search(scene, step="random_sign", generators=generators)
    gradient, random = (
        (f.losses[f.valid].nan_to_num(-1).amax(1) - f.losses[f.valid, 0]).mean()
        for f in (whole, control)
    )
    assert gradient > 1 and gradient > 5 * random  # nats


def test_only_the_mask_moves(scene):
    mask = torch.zeros(3, 6, 6, dtype=torch.bool)
    mask[1, 2:4] = True
    starts = search(scene, budget=0).latents
    for step in ("sign", "adam"):
        found = search(scene, mask=mask, step=step)
        assert torch.equal(found.latents[:, ~mask], starts[:, ~mask])
        assert (found.latents[:, mask] != starts[:, mask]).any()


def test_batching_saves_passes(scene, whole):
    """Against one image at a time, with one pass a try; the last images have narrower passes."""
    widths = []
    handle = scene.model.register_forward_pre_hook(lambda _, x: widths.append(len(x[0])))
    search(scene)
    handle.remove()
    assert widths[0] == 64 and widths == sorted(widths, reverse=True)
    assert set(widths) <= {64, 32, 16}
    assert int(whole.tries.sum()) > 15 * len(widths)
    assert int(whole.tries.sum()) > 0.6 * sum(widths)  # slots that had an image of their own


def test_progress_counts_every_image_once(scene):
    counted = []
    search(scene, progress=counted.append)
    assert sum(counted) == 90


def test_searches_go_on_where_memory_is_short(scene, whole):
    class Short(type(scene.generator)):
        def decode(self, latents):
            if latents.requires_grad and len(latents) > 16:
                raise torch.OutOfMemoryError("out of memory")
            return super().decode(latents)

    parts = scene.generator.encoder, scene.generator.codebook, scene.generator.decoder
    found = latent_search(
        scene.model,
        Short(*parts).eval(),
        scene.oracle,
        scene.images,
        scene.labels,
        budget=12,
        step_size=0.03,
    )
    same(found, whole)


class NanBelow(Above):
    """Says NaN below a limit."""

    def __init__(self, nan):
        super().__init__(0)
        self.nan = nan / 8 + 0.5

    def forward(self, images):
        logits = super().forward(images)
        return torch.where(logits[:, 1:] < self.nan, torch.nan, logits)


def test_nan_ends_one_search_and_no_other(identity):
    images, labels = pixel(2.0, -0.5, 3.0), torch.ones(3, dtype=torch.int64)
    options = {"budget": 3, "step_size": 1 / 8, "eight_bit": False}
    found = latent_search(NanBelow(-0.6).eval(), identity, None, images, labels, **options)
    assert found.steps.tolist() == [2, 0, 3]
    assert found.odd.tolist() == [2, 2, 0]
    assert torch.equal(found.images, pixel(0.0, -0.5, 0.0))
    with pytest.raises(RuntimeError, match="not finite for 1 images, the first at 1"):
        latent_search(NanBelow(0.0).eval(), identity, None, images, labels, **options)


def test_a_gradient_of_zero_is_told(identity):
    class Flat(nn.Module):
        def forward(self, images):
            return torch.cat([0 * images.flatten(1), 0 * images.flatten(1) + 1], 1)

    images, labels = pixel(1.0), torch.ones(1, dtype=torch.int64)
    found = latent_search(Flat().eval(), identity, None, images, labels, budget=2)
    assert found.odd.tolist() == [1] and found.steps.tolist() == [2]


def test_nothing_accepted_is_an_error():
    check_accepted(np.array([False, True]), "vq", "zoo")
    with pytest.raises(ValueError, match=r"^oracle zoo rejects .* generator vq of all 2 images: "):
        check_accepted(np.zeros(2, bool), "vq", "zoo")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"budget": -1}, "budget -1"),
        ({"step_size": 0.0}, "step_size 0.0"),
        ({"step": "newton"}, "unknown search.steps 'newton'; there are adam, plain"),
        ({"step": "random_sign"}, "a random direction needs generators"),
        ({"mask": torch.ones(3, 6, 5, dtype=torch.bool)}, r"shape \(3, 6, 5\): torch.bool"),
        ({"mask": torch.ones(3, 6, 6)}, "the mask is torch.float32"),
        ({"which": slice(0)}, "no image to search from"),
    ],
)
def test_unusable_arguments(scene, options, message):
    with pytest.raises(ValueError, match=message):
        search(scene, **options)


def test_networks_in_training_mode_are_refused(scene, identity):
    class Training(type(identity)):
        pass

    with pytest.raises(ValueError, match="the generator is in training mode"):
        latent_search(scene.model, Training(), None, scene.images, scene.labels)


def test_a_generator_of_another_size_is_refused(scene, identity):
    class Smaller(type(identity)):
        def decode(self, latents):
            return latents[..., :8]

    with pytest.raises(ValueError, match=r"of shape \(1, 12, 8\) for images of \(1, 12, 12\)"):
        latent_search(scene.model, Smaller().eval(), None, scene.images, scene.labels)


def test_too_few_classes_are_an_error(scene):
    with pytest.raises(RuntimeError, match=r"\(64, K\) with K at least 9 expected"):
        latent_search(scene.model, scene.generator, None, scene.images, scene.labels + 5, budget=1)
