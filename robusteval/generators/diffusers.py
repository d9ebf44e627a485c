"""Autoencoders of the library diffusers as generators: VQModel and AutoencoderKL."""

import importlib
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from robusteval.generators._codebook import look_up, nearest
from robusteval.generators._generator import Generator, straight_through

MODELS = ("VQModel", "AutoencoderKL")


def diffusers(*, shape: tuple[int, int, int], model: str, config: Mapping[str, Any]) -> Generator:
    """Return the untrained autoencoder ``model`` of a ``config`` for images of ``shape`` (H, W, C).

    Args:
        model: VQModel, whose latents are those before its codebook; or AutoencoderKL, whose latents
            are the modes of its posterior.
        config: what diffusers saves as the model's config.json.

    Raises:
        ValueError: diffusers is not installed, there is no such model, or it does not take images
            of this shape.
    """
    plain = {key: value for key, value in config.items() if not key.startswith("_")}
    return _wrapped(_class(model)(**plain), shape)


def pretrained(
    *, shape: tuple[int, int, int], model: str, weights: str, subfolder: str | None = None
) -> tuple[Generator, dict[str, Any]]:
    """Return the autoencoder with its weights, and the arguments of its card for `diffusers`.

    Args:
        weights: a folder that diffusers saved, or the id of a repository on its hub.
        subfolder: where in it the autoencoder lies, such as "vqvae" or "vae".

    Raises:
        ValueError: as `diffusers`; or the weights cannot be had.
    """
    found = _class(model)
    try:
        loaded = found.from_pretrained(weights, subfolder=subfolder, use_safetensors=True)
    except Exception as error:  # of whatever library the download goes through
        reason = " ".join(str(error).split())[:150]
        raise ValueError(
            f"the weights of generator {model} cannot be had from {weights} ({reason}): connect to "
            "the network, or download config.json and diffusion_pytorch_model.safetensors from "
            "there and give their folder: weights: PATH"
        ) from error
    config = {key: value for key, value in dict(loaded.config).items() if key[0] != "_"}
    return _wrapped(loaded, shape), {"model": model, "config": config}


def _class(model: str) -> Any:
    if model not in MODELS:
        raise ValueError(f"model {model!r}: one of {', '.join(MODELS)} expected")
    try:
        return getattr(importlib.import_module("diffusers"), model)
    except ImportError as error:
        raise ValueError(
            f"generator {model}: the package diffusers is not installed; install it, or take "
            "another generator"
        ) from error


def _wrapped(network: Any, shape: tuple[int, int, int]) -> Generator:
    height, width, channels = shape
    factor = 2 ** (len(network.config["block_out_channels"]) - 1)
    wanted = network.config["in_channels"]
    if height % factor or width % factor or channels != wanted:
        raise ValueError(
            f"images of {height} x {width} x {channels} for a generator of {wanted} channels that "
            f"makes latents {factor} times smaller: give it an adapter and a size that {factor} "
            "divides"
        )
    return _Quantised(network) if hasattr(network, "quantize") else _Continuous(network)


class _Continuous(Generator):
    """Images between -1 and 1 inside, latents as they are."""

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network: nn.Module = network

    def encode(self, images: Tensor) -> Tensor:
        network: Any = self.network
        latents: Tensor = network.encode(2 * images - 1).latent_dist.mode()
        return latents

    def decode(self, latents: Tensor) -> Tensor:
        network: Any = self.network
        return _shown(network.decode(latents).sample)


class _Quantised(Generator):
    """The network's own codes, looked up so that values pass to the bit."""

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network: nn.Module = network

    def encode(self, images: Tensor) -> Tensor:
        network: Any = self.network
        latents: Tensor = network.encode(2 * images - 1).latents
        return latents

    def quantised(self, latents: Tensor) -> Tensor:
        network: Any = self.network
        vectors: Tensor = network.quantize.embedding.weight
        with torch.no_grad():
            codes = look_up(vectors, nearest(vectors, latents))
        return straight_through(latents, codes)

    def decode(self, latents: Tensor) -> Tensor:
        network: Any = self.network
        return _shown(network.decode(self.quantised(latents), force_not_quantize=True).sample)


def _shown(images: Tensor) -> Tensor:
    return ((images + 1) / 2).clamp(0, 1)
