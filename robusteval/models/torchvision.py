"""Networks of the library torchvision, by their names there."""

import difflib
from typing import Any

from torch import nn

# Networks with classifiers for the training only, and how the names of their tensors begin.
AUXILIARY = {"googlenet": ("aux1.", "aux2."), "inception_v3": ("AuxLogits.",)}


def torchvision(
    *, classes: int, shape: tuple[int, int, int], name: str, **arguments: Any
) -> nn.Module:
    """Return the network ``name`` with random weights, for images of ``shape`` (H, W, 3).

    A name may end in the tag of its weights, as in ``resnet50.IMAGENET1K_V2``. ``arguments`` go to
    ``torchvision.models.get_model``. Classifiers that serve the training only are left out.

    Raises:
        ValueError: the name or an argument is unknown, or the images are not in colour.
    """
    # Slow to import: only when used.
    from torchvision.models import get_model  # type: ignore[import-untyped]

    name = _known(name).partition(".")[0]
    if shape[2] != 3:
        raise ValueError(f"{name} of torchvision takes images of 3 channels, not {shape[2]}")
    if name in AUXILIARY:
        arguments = {"aux_logits": False, "init_weights": False} | arguments
    try:
        network: nn.Module = get_model(name, weights=None, num_classes=classes, **arguments)
    except TypeError as error:
        raise ValueError(f"{name}: arguments {arguments}: {error}") from error
    return network


def pretrained(
    *, classes: int, shape: tuple[int, int, int], name: str, **arguments: Any
) -> tuple[nn.Module, str]:
    """Return the network with the weights of its tag, or else torchvision's choice, and their URL.

    Raises:
        ValueError: as `torchvision`; or the weights have other classes, or cannot be had.
    """
    weights = _weights(name)
    if (found := len(weights.meta["categories"])) != classes:
        raise ValueError(
            f"torchvision's weights of {name} are for {found} classes; {classes} expected"
        )
    plain = name.partition(".")[0]
    if plain in AUXILIARY and "transform_input" not in arguments:
        raise ValueError(
            f"torchvision's weights of {plain} want transform_input: true in its arguments, with "
            f"the mean and std of the other networks"
        )
    network = torchvision(classes=classes, shape=shape, name=name, **arguments)
    try:
        state = weights.get_state_dict(progress=False, check_hash=True)
    except (OSError, RuntimeError) as error:
        raise ValueError(
            f"the weights of {name} cannot be had from {weights.url} ({error}): connect to the "
            "network, or name a file that holds them: weights: {file: PATH}"
        ) from error
    wanted = {k: v for k, v in state.items() if not k.startswith(AUXILIARY.get(plain, ("\0",)))}
    network.load_state_dict(wanted)
    return network, str(weights.url)


def published(*, name: str, **_: Any) -> dict[str, Any] | None:
    """Return how torchvision's weights of ``name`` want their images; keys as in `models.timm`."""
    weights = _weights(name)
    view = weights.transforms()
    size = view.crop_size[0]
    return {
        "classes": len(weights.meta["categories"]),
        "mean": list(view.mean),
        "std": list(view.std),
        "interpolation": view.interpolation.value,
        "resize": "shorter_side",
        "geometries": [((size, size), size / view.resize_size[0])],
    }


def _known(name: str) -> str:
    """Return ``name`` if, without its tag, it is that of a classifier."""
    from torchvision import models  # type: ignore[import-untyped]

    names = models.list_models(module=models)
    plain = name.partition(".")[0]
    if plain not in names:
        close = difflib.get_close_matches(plain, names, 3)
        hint = f"; close to it are {', '.join(close)}" if close else ""
        raise ValueError(f"name {name!r}: no network of torchvision{hint}")
    return name


def _weights(name: str) -> Any:
    """Return the entry of torchvision for the weights of ``name``."""
    from torchvision.models import get_model_weights

    plain, _, tag = _known(name).partition(".")
    tags = get_model_weights(plain)
    if tag and tag not in tags.__members__:
        raise ValueError(f"name {name!r}: the tags of {plain} are {', '.join(tags.__members__)}")
    return tags[tag] if tag else tags.DEFAULT
