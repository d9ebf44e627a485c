"""The adapter, against a stand-in for the library and, where it is installed, the library."""

import sys
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from robusteval.generators._card import build, load_generator
from robusteval.generators.diffusers import diffusers, pretrained
from robusteval.models._card import save_model

SHAPE = (8, 8, 3)
CONFIG = {"in_channels": 3, "block_out_channels": [4, 4], "gain": 2.0}


class Continuous(nn.Module):
    """Latents are images between -1 and 1 at half the size, times a gain."""

    def __init__(self, in_channels, block_out_channels, gain):
        super().__init__()
        self.config = {
            "in_channels": in_channels,
            "block_out_channels": block_out_channels,
            "gain": gain,
            "_class_name": "theirs",
        }
        self.gain = nn.Parameter(torch.tensor(gain))

    @classmethod
    def from_pretrained(cls, weights, subfolder=None, *, use_safetensors):
        assert use_safetensors  # never a pickle
        if weights == "far":
            raise OSError("no\nroute")
        return cls(**CONFIG)

    def smaller(self, images):
        return self.gain * nn.functional.avg_pool2d(images, 2)

    def encode(self, images):
        return SimpleNamespace(latent_dist=SimpleNamespace(mode=lambda: self.smaller(images)))

    def decode(self, latents):
        return SimpleNamespace(
            sample=nn.functional.interpolate(latents / self.gain, scale_factor=2)
        )


class Quantised(Continuous):
    def __init__(self, **config):
        super().__init__(**config)
        self.quantize = nn.Module()
        self.quantize.embedding = nn.Embedding(2, 3)
        nn.init.constant_(self.quantize.embedding.weight[0], -1.0)
        nn.init.constant_(self.quantize.embedding.weight[1], 1.0)

    def encode(self, images):
        return SimpleNamespace(latents=self.smaller(images))

    def decode(self, latents, force_not_quantize):
        assert force_not_quantize
        return super().decode(latents)


@pytest.fixture
def library(monkeypatch):
    """Stands in for diffusers."""
    found = SimpleNamespace(VQModel=Quantised, AutoencoderKL=Continuous)
    monkeypatch.setitem(sys.modules, "diffusers", found)


def test_images_come_back_on_the_scale_0_to_1(library):
    generator = diffusers(shape=SHAPE, model="AutoencoderKL", config=CONFIG)
    images = torch.full((2, 3, 8, 8), 0.25)
    assert torch.equal(generator.encode(images), torch.full((2, 3, 4, 4), -1.0))
    assert torch.equal(generator(images), images)
    assert generator.decode(torch.full((1, 3, 4, 4), 99.0)).max() == 1


def test_codes_replace_latents_and_gradients_pass(library):
    generator = diffusers(shape=SHAPE, model="VQModel", config=CONFIG)
    latents = torch.full((1, 3, 4, 4), 0.4, requires_grad=True)
    assert torch.equal(generator.quantised(latents), torch.ones(1, 3, 4, 4))
    decoded = generator.decode(latents)
    assert torch.equal(decoded, torch.full((1, 3, 8, 8), 0.75))
    decoded.sum().backward()
    # Each latent is four pixels, of which each is latent / (2 * gain of 2) + 0.5.
    assert torch.equal(latents.grad, torch.ones(1, 3, 4, 4))


def test_a_card_builds_it_without_the_source(library, tmp_path):
    generator, arguments = pretrained(shape=SHAPE, model="VQModel", weights="near")
    assert arguments == {"model": "VQModel", "config": CONFIG}
    nn.init.constant_(generator.network.gain, 3.0)
    card = {"builder": "diffusers", "arguments": arguments, "input_size": list(SHAPE)}
    save_model(tmp_path, generator, card)
    loaded, _ = load_generator(tmp_path)
    assert loaded.network.gain == 3
    assert build(card).network.gain == 2


def test_missing_weights_are_one_line_that_says_what_to_get(library):
    with pytest.raises(ValueError, match=r"^the weights .* from far \(no route\): .*safetensors"):
        pretrained(shape=SHAPE, model="VQModel", weights="far")


def test_without_the_library_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "diffusers", None)
    with pytest.raises(ValueError, match=r"^generator VQModel: .* not installed; .*$"):
        diffusers(shape=SHAPE, model="VQModel", config=CONFIG)


@pytest.mark.parametrize("shape", [(8, 7, 3), (8, 8, 1)])
def test_other_shapes_are_refused(library, shape):
    with pytest.raises(ValueError, match="3 channels that makes latents 2 times smaller"):
        diffusers(shape=shape, model="AutoencoderKL", config=CONFIG)


def test_unknown_models_are_refused(library):
    with pytest.raises(ValueError, match="model 'UNet': one of VQModel, AutoencoderKL"):
        diffusers(shape=SHAPE, model="UNet", config={})


@pytest.mark.parametrize("model", ["VQModel", "AutoencoderKL"])
def test_a_real_model_with_random_weights(model, tmp_path):
    library = pytest.importorskip("diffusers", reason="the package diffusers is not installed")
    torch.manual_seed(0)
    blocks = {"block_out_channels": (8, 8), "norm_num_groups": 4, "latent_channels": 3}
    kinds = {"down_block_types": ("DownEncoderBlock2D",) * 2}
    kinds["up_block_types"] = ("UpDecoderBlock2D",) * 2
    original = getattr(library, model)(**blocks, **kinds).eval()
    original.save_pretrained(tmp_path)
    generator, arguments = pretrained(shape=(16, 16, 3), model=model, weights=str(tmp_path))
    images = torch.rand(2, 3, 16, 16)
    latents = generator.eval().encode(images).detach().requires_grad_()
    assert latents.shape == (2, 3, 8, 8)
    expected = ((original.decode(latents).sample + 1) / 2).clamp(0, 1)
    # The library rounds the codes as it lets gradients through, by about 1e-7.
    torch.testing.assert_close(generator.decode(latents), expected, atol=1e-5, rtol=0)
    generator.decode(latents).sum().backward()
    assert latents.grad.abs().max() > 0
    again = build({"builder": "diffusers", "arguments": arguments, "input_size": (16, 16, 3)})
    again.load_state_dict(generator.state_dict())
    torch.testing.assert_close(again.eval()(images), generator(images))
