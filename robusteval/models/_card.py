"""Models on disk: ``weights.safetensors`` and ``card.json``, what is needed to run them rightly."""

from pathlib import Path
from typing import Any

from safetensors.torch import load_file, save_file
from torch import nn

from robusteval import plugins
from robusteval.files import read_json, replacing, sha256, write_json
from robusteval.models._normalised import Normalised


def build(card: dict[str, Any]) -> Normalised:
    """Return the untrained model that a card describes, normalisation included.

    The card's ``builder`` is a file of ``robusteval/models``; ``arguments``, ``classes`` and
    ``input_size`` (H, W, C) go to it, ``mean`` and ``std`` are per channel on the scale 0 to 1.
    """
    network = plugins.load("models", card["builder"])(
        classes=len(card["classes"]), shape=tuple(card["input_size"]), **card["arguments"]
    )
    return Normalised(network, card["mean"], card["std"])


def save_model(folder: str | Path, model: nn.Module, card: dict[str, Any]) -> None:
    """Write weights and card; the card comes last and holds the hash of the weights."""
    folder = Path(folder)
    state = {name: tensor.contiguous() for name, tensor in model.state_dict().items()}
    with replacing(folder / "weights.safetensors") as temporary:
        save_file(state, temporary)
    weights = sha256(folder / "weights.safetensors")
    write_json(folder / "card.json", {**card, "weights_sha256": weights})


def load_model(folder: str | Path) -> tuple[nn.Module, dict[str, Any]]:
    """Return the model in ``folder``, in evaluation mode, and its card.

    Raises:
        ValueError: the weights are missing or not those that the card was written for.
    """
    folder = Path(folder)
    card = read_json(folder / "card.json")
    weights = folder / "weights.safetensors"
    if not weights.is_file() or sha256(weights) != card["weights_sha256"]:
        raise ValueError(
            f"{weights}: missing or damaged, its SHA-256 is not {card['weights_sha256']}; delete "
            f"{folder} and run again"
        )
    model = build(card)
    model.load_state_dict(load_file(weights))
    return model.eval().requires_grad_(False), card
