import pytest
import torch
from torch import nn

from robusteval.models._errors import ModelError
from robusteval.oracles._checks import check_apart, check_better
from robusteval.oracles._oracle import Oracle, judged
from robusteval.oracles.supervised import supervised
from robusteval.oracles.zoo import zoo


class Threshold(nn.Module):
    """Two logits of a single pixel: class 1 where it is above ``limit``."""

    def __init__(self, limit):
        super().__init__()
        self.limit = limit

    def forward(self, images):
        pixel = images.flatten(1)
        return torch.cat([torch.full_like(pixel, self.limit), pixel], 1)


class Says(Oracle):
    """Gives the same probabilities to every image."""

    def __init__(self, *values):
        super().__init__()
        self.values = torch.tensor(values)

    def probabilities(self, images):
        return self.values.expand(len(images), -1)


def pixels(*values):
    return torch.tensor(values).view(-1, 1, 1, 1)


LABELS = torch.ones(3, dtype=torch.int64)


def test_a_classifier_gives_probabilities():
    oracle = supervised(Threshold(0.0))
    found = oracle(pixels(0.0, 1.0, -2.0))
    torch.testing.assert_close(found, torch.tensor([[0, 0], [0, 1], [0, -2.0]]).softmax(1))
    assert oracle.accepts(pixels(0.5, 1.0, -2.0), LABELS).tolist() == [True, True, False]
    assert not oracle.training


@pytest.mark.parametrize(
    ("rule", "expected"), [("majority", [True, True, False]), ("all", [False, True, False])]
)
def test_votes_on_a_line(rule, expected):
    """Thresholds at -1, -1 and -0.2; at -1 itself the first class is meant."""
    oracle = zoo([supervised(Threshold(limit)) for limit in (-1.0, -1.0, -0.2)], rule=rule)
    images = pixels(-0.5, 0.0, -1.0)
    assert oracle.accepts(images, LABELS).tolist() == expected
    assert oracle(images)[:, 1].tolist() == pytest.approx([2 / 3, 1, 0], abs=1e-6)  # float32


def test_the_mean_hears_a_sure_member_and_the_majority_does_not():
    members = [Says(0.01, 0.99), Says(0.6, 0.4), Says(0.6, 0.4)]
    image, one = pixels(0.0), LABELS[:1]
    assert zoo(members, rule="mean").accepts(image, one).tolist() == [True]
    assert zoo(members, rule="majority").accepts(image, one).tolist() == [False]
    mean = zoo(members, rule="mean")(image)
    torch.testing.assert_close(mean, torch.tensor([[1.21 / 3, 1.79 / 3]]))


def test_a_tie_accepts_nothing():
    oracle = zoo([Says(1.0, 0.0), Says(0.0, 1.0)])
    both = pixels(0.0, 0.0)
    assert oracle.accepts(both, torch.tensor([0, 1])).tolist() == [False, False]


@pytest.mark.parametrize("count", range(1, 12))
def test_votes_are_counted_whatever_their_share_is_rounded_to(count):
    for votes in range(count + 1):
        members = [Says(0.0, 1.0)] * votes + [Says(1.0, 0.0)] * (count - votes)
        said = [
            bool(zoo(members, rule=r).accepts(pixels(0.0), LABELS[:1])) for r in ("all", "majority")
        ]
        assert said == [votes == count, votes > count / 2]


def test_verdicts_of_many_images_are_those_of_a_few():
    oracle = supervised(nn.Sequential(nn.Flatten(), nn.Linear(16, 3)))
    images, labels = torch.rand(150, 1, 4, 4), torch.arange(150) % 3
    found, accepted = judged(oracle, images, labels)
    assert found.shape == (150, 3)
    assert torch.equal(accepted, found.argmax(1) == labels)
    some, some_accepted = judged(oracle, images[70:90], labels[70:90])
    assert torch.equal(some, found[70:90]) and torch.equal(some_accepted, accepted[70:90])


def test_bad_probabilities_are_errors():
    with pytest.raises(ModelError, match="not finite"):
        Says(float("nan"), 1.0)(pixels(0.0))
    with pytest.raises(ModelError, match="label 2, but the oracle knows 2 classes"):
        Says(0.5, 0.5).accepts(pixels(0.0), torch.tensor([2]))


@pytest.mark.parametrize(
    ("members", "rule", "message"),
    [([], "all", "without members"), ([Says(1.0)], "most", "rule 'most': one of all, majority")],
)
def test_impossible_zoos(members, rule, message):
    with pytest.raises(ValueError, match=message):
        zoo(members, rule=rule)


def test_no_member_is_the_evaluated_model():
    check_apart({"big": "aa", "wide": "bb"}, "small", "cc")
    with pytest.raises(ValueError, match=r"^wide, .* has the weights of the evaluated model small"):
        check_apart({"big": "aa", "wide": "bb"}, "small", "bb")


def test_an_oracle_is_better_than_every_model():
    check_better(0.92, {"cnn": 0.90, "vit": 0.85})
    with pytest.raises(ValueError, match=r"right on 91\.90%, cnn on 90\.00%: expected at least 2"):
        check_better(0.919, {"cnn": 0.90, "vit": 0.85})
