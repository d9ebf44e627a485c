"""Generators on disk: ``weights.safetensors`` and ``card.json``, as for models."""

from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file

from robusteval import plugins
from robusteval.files import read_json, sha256
from robusteval.generators._generator import Generator


def build(card: dict[str, Any]) -> Generator:
    """Return the untrained generator that a card describes.

    ``builder`` is a file of ``robusteval/generators``; ``arguments`` and ``input_size`` (H, W, C)
    go to it. `robusteval.models._card.save_model` writes weights and card.
    """
    generator: Generator = plugins.load("generators", card["builder"])(
        shape=tuple(card["input_size"]), **card["arguments"]
    )
    return generator


def load_generator(folder: str | Path, device: str = "cpu") -> tuple[Generator, dict[str, Any]]:
    """Return the generator in ``folder``, in evaluation mode on ``device``, and its card.

    Raises:
        ValueError: the weights are missing or not those that the card was written for.
    """
    folder = Path(folder)
    card = read_json(folder / "card.json")
    weights, expected = folder / "weights.safetensors", card["weights_sha256"]
    if not weights.is_file() or sha256(weights) != expected:
        raise ValueError(
            f"{weights}: missing or damaged, its SHA-256 is not {expected}; delete {folder} and "
            "run again"
        )
    generator = build(card)
    generator.load_state_dict(load_file(weights))
    if torch.device(device).type == "cpu":  # faster, see `robusteval.models._card.load_model`
        generator = generator.to(memory_format=torch.channels_last)
    return generator.to(device).eval().requires_grad_(False), card
