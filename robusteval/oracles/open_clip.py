"""Models of images and text of the library open_clip as oracles, asked by prompts."""

import importlib
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from robusteval.oracles._oracle import Oracle
from robusteval.oracles._prompts import TEMPLATES, prompts


def open_clip(
    *,
    classes: Sequence[str],
    name: str,
    pretrained: str | None,
    templates: Sequence[str] = TEMPLATES,
    device: str = "cpu",
) -> Oracle:
    """Return the model ``name`` of open_clip, asked which of ``classes`` an image shows.

    Each class is the mean direction of its prompts, one a template. Images are resized, the whole
    of them, to the size that the model takes, and grey ones shown in three equal channels; that is
    the same for originals, round trips and searched images. No source names the published models.

    Args:
        classes: names in words, in the order of the labels.
        name, pretrained: a model and its weights, both as open_clip lists them; the weights may be
            a local file. None leaves them random: for tests, whose numbers mean nothing.
        templates: prompts with {class} in them.

    Raises:
        ValueError: open_clip is not installed, it has no such model, the weights cannot be had, or
            a name or a template is not usable.
    """
    texts = prompts(classes, templates)
    try:
        library = importlib.import_module("open_clip")
    except ImportError as error:
        raise ValueError(
            f"oracle open_clip {name}: the package open_clip_torch is not installed; install it, "
            "or take another oracle"
        ) from error
    if name not in library.list_models():
        raise ValueError(f"name {name!r}: no model of open_clip; open_clip.list_models() has them")
    model = _created(library, name, pretrained, device)
    with torch.inference_mode():
        tokenizer = library.get_tokenizer(name)
        directions = [
            F.normalize(model.encode_text(tokenizer(text).to(device)), dim=1).mean(0)
            for text in texts
        ]
        matrix = F.normalize(torch.stack(directions), dim=1)
    return _OpenClip(model, matrix.clone()).to(device).eval().requires_grad_(False)


def _created(library: Any, name: str, pretrained: str | None, device: str) -> Any:
    try:
        return library.create_model(
            name, pretrained=pretrained, device=device, require_pretrained=pretrained is not None
        ).eval()
    except Exception as error:  # of whatever library the download goes through
        source = library.pretrained.get_pretrained_cfg(name, pretrained or "")
        address = source.get("url") or source.get("hf_hub") or "nowhere that open_clip knows"
        reason = " ".join(str(error).split())[:150]
        raise ValueError(
            f"the weights {pretrained} of {name} cannot be had from {address} ({reason}): connect "
            "to the network, or download them and give the file: pretrained: PATH"
        ) from error


class _OpenClip(Oracle):
    """Softmax of the scaled cosines between an image and the classes (K, E)."""

    directions: Tensor
    mean: Tensor
    std: Tensor

    def __init__(self, model: Any, directions: Tensor) -> None:
        super().__init__()
        self.model: nn.Module = model
        size = model.visual.image_size
        self.size = tuple(size) if isinstance(size, Sequence) else (size, size)
        self.register_buffer("directions", directions)
        for key in ("mean", "std"):
            values = torch.tensor(getattr(model.visual, f"image_{key}"))
            self.register_buffer(key, values.view(-1, 1, 1))

    def probabilities(self, images: Tensor) -> Tensor:
        rgb = images.expand(-1, 3, -1, -1) if images.shape[1] == 1 else images
        if rgb.shape[2:] != self.size:
            rgb = F.interpolate(rgb, self.size, mode="bicubic", antialias=True).clamp(0, 1)
        model: Any = self.model
        seen = F.normalize(model.encode_image((rgb - self.mean) / self.std), dim=1)
        scores: Tensor = model.logit_scale.exp() * seen @ self.directions.T
        return scores.softmax(1)
