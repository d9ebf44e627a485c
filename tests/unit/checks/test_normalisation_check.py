import pytest
import torch
from torch import nn

from robusteval.checks.normalisation import normalisation
from robusteval.models._normalised import Normalised

PUBLISHED = {  # mean and deviation per channel, as common model families have them
    "imagenet": ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    "inception": ([0.5] * 3, [0.5] * 3),
    "cifar10": ([0.4914, 0.4822, 0.4465], [0.2471, 0.2435, 0.2616]),
    "clip": ([0.4815, 0.4578, 0.4082], [0.2686, 0.2613, 0.2758]),
    "lite": ([0.498] * 3, [0.502] * 3),
}


@pytest.mark.parametrize("constants", PUBLISHED.values(), ids=PUBLISHED)
def test_once_twice_and_not_at_all(subject, network, constants):
    mean, std = constants
    once = Normalised(network, mean, std).eval()
    twice = Normalised(once, mean, std).eval()
    for model, verdict, said in (
        (once, "ok", "the card means mean "),
        (twice, "wrong", ": normalised twice."),
        (network, "wrong", ": not normalised."),
    ):
        finding = normalisation(subject(model, mean=mean, std=std))
        assert finding.verdict == verdict
        assert said in finding.found


@pytest.mark.parametrize(("mean", "std"), [(0.1, 0.1), (0.45, 0.35), (0.6, 0.25)])
def test_other_constants_than_the_cards(subject, network, mean, std):
    other = Normalised(network, [mean] * 3, [std] * 3).eval()
    assert normalisation(subject(other)).verdict == "look"


def test_a_card_on_the_scale_of_bytes(subject, network):
    mean, std = [123.7, 116.3, 103.5], [58.4, 57.1, 57.4]
    assert normalisation(subject(mean=mean, std=std)).verdict == "look"


def test_a_card_without_constants(subject, network):
    finding = normalisation(subject(network, mean=None))
    assert (finding.verdict, finding.found) == ("ok", "The card names no mean and deviation.")


def test_resizing_in_the_model_is_no_normalisation(subject, model, then):
    smaller = then(model, before=lambda x: nn.functional.interpolate(x[..., 1:-1, 1:-1], 12))
    assert normalisation(subject(smaller.eval())).verdict == "ok"


def test_a_model_whose_layers_cannot_be_seen(subject, then):
    weights = torch.ones(12, 432)
    bare = then(nn.Flatten(), after=lambda x: x @ weights.T).eval()
    finding = normalisation(subject(bare))
    assert finding.verdict == "look"
    assert finding.found == "No layer with weights was seen to take the images."
