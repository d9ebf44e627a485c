"""The adapter, against a stand-in for the library and, where it is installed, the library."""

import sys
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from robusteval.oracles._prompts import prompts
from robusteval.oracles.open_clip import open_clip


class TwoColours(nn.Module):
    """Directions red and blue: of an image by its mean colour, of a text by its last word."""

    def __init__(self):
        super().__init__()
        self.visual = SimpleNamespace(image_size=4, image_mean=[0.0] * 3, image_std=[1.0, 1.0, 2.0])
        self.logit_scale = torch.tensor(2.0).log()
        self.shapes = []

    def encode_image(self, images):
        self.shapes.append(tuple(images.shape))
        return images.mean((2, 3))[:, [0, 2]]

    def encode_text(self, tokens):
        return tokens


@pytest.fixture
def library(monkeypatch):
    """Stands in for open_clip; remembers what it is asked."""
    found = SimpleNamespace(asked=[], model=TwoColours())

    def create_model(name, **options):
        if options["pretrained"] == "far":
            raise RuntimeError("no\nroute")
        found.asked.append((name, options))
        return found.model

    def tokens(texts):
        found.asked.append(texts)
        return torch.tensor([[3.0, 0.0] if "red" in text else [0.0, 5.0] for text in texts])

    found.list_models = lambda: ["Tiny"]
    found.create_model = create_model
    found.get_tokenizer = lambda name: tokens
    found.pretrained = SimpleNamespace(get_pretrained_cfg=lambda *_: {"hf_hub": "who/what"})
    monkeypatch.setitem(sys.modules, "open_clip", found)
    return found


def oracle(**options):
    return open_clip(**{"classes": ["red", "blue"], "name": "Tiny", "pretrained": "x"} | options)


def test_probabilities_are_scaled_cosines(library):
    images = torch.tensor([[1.0, 0, 0], [0.6, 0.5, 1.0]]).view(2, 3, 1, 1).expand(2, 3, 4, 4)
    # Blue is divided by a deviation of 2: directions (1, 0) and (0.6, 0.5).
    length = (0.6**2 + 0.5**2) ** 0.5
    cosines = torch.tensor([[1.0, 0.0], [0.6 / length, 0.5 / length]])
    found = oracle()(images)
    torch.testing.assert_close(found, (2 * cosines).softmax(1))
    assert library.asked[1:] == [["an image of red"], ["an image of blue"]]
    assert library.asked[0][1]["require_pretrained"]


def test_grey_images_of_another_size_are_shown_in_colour(library):
    assert oracle()(torch.rand(3, 1, 9, 7)).shape == (3, 2)
    assert library.model.shapes == [(3, 3, 4, 4)]


def test_a_class_is_the_mean_of_its_prompts(library):
    mixed = oracle(templates=["a {class}", "red {class}"])
    # red: (1, 0); blue: the mean of (0, 1) and (1, 0)
    expected = torch.tensor([[1.0, 0.0], [0.5**0.5, 0.5**0.5]])
    torch.testing.assert_close(mixed.directions, expected)


def test_missing_weights_are_one_line_that_says_where_they_are(library):
    with pytest.raises(ValueError, match=r"^the weights far of Tiny .* who/what \(no route\): .*$"):
        oracle(pretrained="far")
    with pytest.raises(ValueError, match="name 'Huge': no model of open_clip"):
        oracle(name="Huge")


def test_without_the_library_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "open_clip", None)
    with pytest.raises(ValueError, match=r"^oracle open_clip Tiny: .* not installed; .*$"):
        oracle()


def test_prompts_have_the_name_in_place():
    assert prompts(["ankle_boot"], ["{class}!", "my {class}"]) == [["ankle boot!", "my ankle boot"]]


@pytest.mark.parametrize(
    ("classes", "templates", "message"),
    [
        (["cat", "3"], ["{class}"], "class 1 is called '3'"),
        (["", "cat"], ["{class}"], "class 0 is called ''"),
        (["big_cat", "big cat"], ["{class}"], "several classes are called 'big cat'"),
        (["cat"], ["a photo"], "template 'a photo': expected {class}"),
        (["cat"], [], "no template"),
    ],
)
def test_names_that_say_nothing(classes, templates, message):
    with pytest.raises(ValueError, match=message):
        prompts(classes, templates)


def test_a_real_model_with_random_weights():
    pytest.importorskip("open_clip", reason="the package open_clip_torch is not installed")
    torch.manual_seed(0)
    found = oracle(name="ViT-S-32-alt", pretrained=None)(torch.rand(2, 1, 28, 28))
    assert found.shape == (2, 2)
    torch.testing.assert_close(found.sum(1), torch.ones(2))
