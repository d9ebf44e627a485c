"""SPSA, NATTACK and the boundary walk: what they estimate, find and spend."""

import threading

import foolbox
import pytest
import torch

from robusteval.attacks import _decisions
from robusteval.attacks._streams import blocks, normals, seeds, signs
from robusteval.attacks.boundary import boundary
from robusteval.attacks.nattack import nattack
from robusteval.attacks.spsa import spsa
from robusteval.batches import predict
from robusteval.seeds import generator


def drawn(seed, step, count, shape, draw=normals):
    return torch.cat(list(blocks(torch.tensor(seed), torch.tensor(step), draw, count, shape)), 1)


def test_numbers_belong_to_a_seed_and_a_step_and_not_to_a_slot():
    both = drawn([7, 9, 7], [0, 0, 0], 5, (1, 3, 3))
    assert torch.equal(both[0], both[2]) and not torch.equal(both[0], both[1])
    assert torch.equal(both[1], drawn([9], [0], 5, (1, 3, 3))[0])
    assert not torch.equal(drawn([9], [1], 5, (1, 3, 3))[0], both[1])


def test_large_images_come_in_blocks(monkeypatch):
    whole = drawn([7, 9], [3, 3], 5, (2, 4))
    monkeypatch.setattr("robusteval.attacks._streams.VALUES", 16)
    sizes = [b.shape[1] for b in blocks(torch.tensor([7]), torch.tensor([3]), normals, 5, (2, 4))]
    assert sizes == [2, 2, 1]
    assert torch.equal(drawn([7, 9], [3, 3], 5, (2, 4)), whole)


def test_signs_are_fair():
    values = drawn([1], [0], 40, (1000,), signs)
    assert set(values.unique().tolist()) == {-1.0, 1.0}
    assert abs(values.mean()) < 0.02  # four standard errors of 40,000
    assert len(set(seeds([generator("s", i) for i in range(9)], torch.device("cpu")).tolist())) == 9


def test_both_climb_a_linear_model_along_its_weights(linear):
    weight = torch.tensor([0.5, -0.4, 0.3, 1.2])
    x, label = torch.full((1, 1, 2, 2), 0.5), torch.zeros(1, dtype=torch.int64)
    draws = [generator("linear")]
    for attack, settings in (
        (spsa, {"samples": 64, "learning_rate": 0.01}),
        (nattack, {"population": 200, "learning_rate": 0.02}),
    ):
        # The corner of the ball is 2.4 * eps up; the margin of -0.1 is made up at eps 0.042.
        found = attack(linear(weight), x, label, generators=draws, eps=0.05, steps=40, **settings)
        assert bool(found.success), attack
        assert torch.equal((found.images - x).flatten().sign(), weight.sign()), attack
        lost = attack(linear(weight), x, label, generators=draws, eps=0.04, steps=40, **settings)
        assert not bool(lost.success), attack


def test_more_queries_turn_more_images(model, images_and_labels, generators):
    images, labels = (values[:16] for values in images_and_labels)
    ids = torch.arange(16)
    for attack, few, many in (
        (spsa, {"samples": 1}, {"samples": 30}),
        (
            nattack,
            {"population": 2, "learning_rate": 0.05},
            {"population": 60, "learning_rate": 0.05},
        ),
    ):
        rates = [
            attack(
                model, images, labels, generators=generators(ids), eps=0.06, steps=10, **s
            ).success.sum()
            for s in (few, many)
        ]
        assert rates[0] < rates[1], attack


def test_the_walk_is_that_of_foolbox(model, images_and_labels, generators):
    images, labels = (values[:2] for values in images_and_labels)
    result = boundary(model, images, labels, generators=generators(torch.arange(2)), queries=120)
    for i, draws in enumerate(generators(torch.arange(2))):
        with torch.random.fork_rng():
            torch.manual_seed(int(draws.integers(2**31)))
            x, label = images[i : i + 1], labels[i : i + 1]
            peer = foolbox.PyTorchModel(model, bounds=(0, 1))
            judge = _decisions._Decisions(model, x, label, 1000, None)
            start = _decisions._start(judge, x, 1000)
            left = 120 - (1000 - judge._left)
            # One query at the start, then one a step and one more each tenth step.
            steps = max(n for n in range(left) if 1 + n + n // 10 <= left)
            attack = foolbox.attacks.BoundaryAttack(steps=steps)
            expected = attack.run(peer, x, label, starting_points=start)
        length = [float((y - x).norm()) for y in (result.images[i], expected)]
        # Widths of 64 and 1 round logits differently, and a decision may hang on it.
        assert length[0] == pytest.approx(length[1], rel=1e-3)


def test_a_walk_comes_nearer_and_spends_its_queries(model, images_and_labels, generators):
    images, labels = (values[:6] for values in images_and_labels)
    mean = []
    for queries in (20, 200):
        found = boundary(
            model, images, labels, generators=generators(torch.arange(6)), queries=queries
        )
        assert found.success.all()
        assert found.forwards.max() == queries + 1 and (found.backwards == 0).all()
        mean.append((found.images - images).flatten(1).norm(dim=1).mean())
    assert mean[1] < 0.9 * mean[0]


def test_a_fixed_radius_is_kept_and_ends_the_walk(model, images_and_labels, generators):
    images, labels = (values[:16] for values in images_and_labels)
    draws = generators(torch.arange(16))
    found = boundary(model, images, labels, generators=draws, queries=60, eps=4.3)
    length = (found.images - images).flatten(1).norm(dim=1)
    assert length.max() <= 4.3 + 1e-5  # float32
    wrong = predict(model, found.images).argmax(1) != labels
    assert torch.equal(found.success, wrong) and 0 < wrong.sum() < 16
    assert found.forwards[wrong].float().mean() < found.forwards[~wrong].float().mean()


def test_a_model_that_knows_one_class_keeps_it(images_and_labels, generators):
    constant = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(432, 4)).eval()
    with torch.no_grad():
        constant[1].weight.zero_()
        constant[1].bias.copy_(torch.tensor([1.0, 0, 0, 0]))
    images, labels = images_and_labels[0][:3], torch.zeros(3, dtype=torch.int64)
    before = threading.active_count()
    found = boundary(constant, images, labels, generators=generators(torch.arange(3)), draws=5)
    assert not found.success.any() and (found.forwards == 6).all()
    assert threading.active_count() == before


@pytest.mark.parametrize(
    ("attack", "settings", "message"),
    [
        (spsa, {"eps": 0.1, "samples": 0}, "samples 0"),
        (spsa, {"eps": 0.1, "generators": None}, "generators expected"),
        (nattack, {"eps": 0.1, "population": 1}, "population 1"),
        (nattack, {"eps": 0.1, "generators": None}, "generators expected"),
        (boundary, {"eps": 0.0}, "eps 0.0"),
        (boundary, {"step_adaptation": 1.0}, "step_adaptation 1.0"),
        (boundary, {"generators": None}, "generators expected"),
    ],
)
def test_impossible_settings_are_refused(
    model, images_and_labels, generators, attack, settings, message
):
    draws = {"generators": generators(torch.arange(80))}
    with pytest.raises(ValueError, match=message):
        attack(model, *images_and_labels, **draws | settings)
