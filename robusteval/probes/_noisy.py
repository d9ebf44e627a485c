"""Noisy copies of images, by kinds that a study names: drawn, corrupted or attacked."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from robusteval import plugins
from robusteval.probes._clean import gradients_needed
from robusteval.seeds import generator

Noises = Mapping[str, Mapping[str, Any]]

KINDS = {
    "gaussian": ("sd",),
    "uniform": ("eps",),
    "corruption": ("name", "severity", "family"),
    "attack": ("name",),
}
"""Kinds of noise and what each must say; an attack has its own settings beside its name."""

FGSM = {"kind": "attack", "name": "fgsm"}
PAPER: Noises = {
    "fgsm 8/255": FGSM | {"eps": 8 / 255},
    "fgsm 16/255": FGSM | {"eps": 16 / 255},
    "mi_fgsm 8/255": {"kind": "attack", "name": "mi_fgsm", "eps": 8 / 255},
}
"""Of the noise in the authors' code, that whose settings are known in full."""


def check_noises(noises: Noises) -> None:
    """Check that each noise is of a known kind and says what that needs.

    Raises:
        ValueError: one does not, or there is none; the message gives its name.
    """
    if not noises:
        raise ValueError("no noise: expected at least one")
    for label, noise in noises.items():
        kind = noise.get("kind")
        if kind not in KINDS:
            raise ValueError(f"noise {label!r}: kind {kind!r}, one of {', '.join(KINDS)} expected")
        keys = set(noise) - {"kind"}
        needed = set(KINDS[kind])
        if needed - keys or (kind != "attack" and keys - needed):
            raise ValueError(
                f"noise {label!r}: keys {', '.join(sorted(keys)) or 'none'}; a {kind} has "
                f"{', '.join(KINDS[kind])}"
            )


def keys_of(generators: Sequence[np.random.Generator] | None, images: int) -> list[int]:
    """Return a number drawn for each image, from which each noise draws its own stream.

    Raises:
        ValueError: there are no generators.
    """
    if generators is None:
        raise ValueError(f"noise is drawn: generators needed, one for each of {images} images")
    return [int(source.integers(2**63)) for source in generators]


def noisy(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    keys: Sequence[int],
    label: str,
    noise: Mapping[str, Any],
    batch_size: int,
) -> Tensor:
    """Return noisy ``images`` (N, C, H, W), float32 in [0, 1], on the CPU.

    A corruption is of the images rounded to 8 bits. What an image becomes depends on its key and
    the noise's name ``label``, and not on other images and noises.

    Raises:
        ValueError: a setting of the noise is not usable.
        ModelError: an attack cannot use the model.
    """
    sources = [generator(key, label) for key in keys]
    kind, values = noise["kind"], {k: v for k, v in noise.items() if k not in ("kind", "name")}
    if kind == "attack":
        with gradients_needed(f"the attack {noise['name']}"):
            attacked: Tensor = plugins.load("attacks", noise["name"])(
                model, images, labels, generators=sources, batch_size=batch_size, **values
            ).images
        return attacked
    if kind == "corruption":
        return _corrupted(images, noise, sources)
    shape = tuple(images.shape[1:])
    if kind == "gaussian":
        drawn = [source.normal(0, values["sd"], shape) for source in sources]
    else:
        drawn = [source.uniform(-values["eps"], values["eps"], shape) for source in sources]
    moves = torch.from_numpy(np.stack(drawn).astype(np.float32))
    return (images.cpu() + moves).clamp(0, 1)


def _corrupted(
    images: Tensor, noise: Mapping[str, Any], sources: Sequence[np.random.Generator]
) -> Tensor:
    from robusteval.batches import as_tensor
    from robusteval.corruptions._apply import corrupt

    levels = (images.cpu() * 255).round().to(torch.uint8).permute(0, 2, 3, 1).numpy()
    return as_tensor(
        corrupt(
            np.ascontiguousarray(levels),
            noise["name"],
            noise["severity"],
            sources,
            family=noise["family"],
        )
    )
