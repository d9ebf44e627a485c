"""Networks of the library timm, by their names there."""

import difflib
from typing import Any

from torch import nn

# Arguments that name files or addresses of weights, some of which older versions of timm unpickle.
OF_WEIGHTS = ("checkpoint_path", "pretrained_cfg", "pretrained_cfg_overlay")


def timm(*, classes: int, shape: tuple[int, int, int], name: str, **arguments: Any) -> nn.Module:
    """Return the network ``name`` with random weights, for images of ``shape`` (H, W, C).

    ``arguments`` go to ``timm.create_model``.

    Raises:
        ValueError: the name or an argument is unknown, an argument names weights, or the network
            wants images of another size.
    """
    return _created(classes, shape, name, arguments, pretrained=False)


def pretrained(
    *, classes: int, shape: tuple[int, int, int], name: str, **arguments: Any
) -> tuple[nn.Module, str]:
    """Return the network with the weights that timm names for it, and their address.

    Raises:
        ValueError: as `timm`; or the weights have other classes or channels, or cannot be had.
    """
    config = _config(name)
    if config is None or not config.has_weights:
        raise ValueError(f"timm has no weights for {name}; name a file, a package or a URL")
    found, expected = (config.num_classes, config.input_size[0]), (classes, shape[2])
    if found != expected:  # timm would put random weights there
        raise ValueError(
            f"timm's weights of {name} are for {found[0]} classes and {found[1]} channels; "
            f"{expected[0]} and {expected[1]} expected"
        )
    origin = config.hf_hub_id or config.url
    try:
        return _created(classes, shape, name, arguments, pretrained=True), str(origin)
    except ValueError:
        raise
    except Exception as error:  # of whatever library the download goes through
        reason = " ".join(str(error).split())[:150]
        raise ValueError(
            f"the weights of {name} cannot be had from {origin} ({reason}): connect to the "
            "network, or name a file that holds them: weights: {file: PATH}"
        ) from error


def published(*, name: str, **_: Any) -> dict[str, Any] | None:
    """Return how timm's weights of ``name`` want their images, or None if it has no weights.

    The keys are classes, mean, std, interpolation, resize, licence and geometries; the last are
    pairs of size and crop fraction, those of training and those that timm's own accuracies were
    found with.
    """
    config = _config(name)
    if config is None or not config.has_weights or not config.num_classes:
        return None
    size, crop = config.input_size[1:], config.crop_pct
    test = (config.test_input_size or config.input_size)[1:], config.test_crop_pct or crop
    return {
        "classes": config.num_classes,
        "mean": list(config.mean),
        "std": list(config.std),
        "interpolation": config.interpolation,
        "resize": "shorter_side" if config.crop_mode == "center" else config.crop_mode,
        "geometries": [(tuple(size), crop), (tuple(test[0]), test[1])],
        "licence": config.license,
    }


def _config(name: str) -> Any:
    from timm.models import get_pretrained_cfg, is_model, list_models  # slow: only when used

    if not is_model(name):
        close = difflib.get_close_matches(name, list_models(), 3)
        hint = f"; close to it are {', '.join(close)}" if close else ""
        raise ValueError(f"name {name!r}: no network of timm{hint}")
    try:
        return get_pretrained_cfg(name)
    except RuntimeError as error:
        plain = name.partition(".")[0]
        tags = [full.partition(".")[2] for full in list_models(f"{plain}.*", pretrained=True)]
        raise ValueError(f"name {name!r}: the tags of {plain} are {', '.join(tags)}") from error


def _created(
    classes: int,
    shape: tuple[int, int, int],
    name: str,
    arguments: dict[str, Any],
    *,
    pretrained: bool,
) -> nn.Module:
    if named := [key for key in OF_WEIGHTS if key in arguments]:
        raise ValueError(f"{name}: arguments: {named[0]}: name a file as weights: {{file: PATH}}")
    config = _config(name)
    from timm.models import create_model

    size = config.input_size[1:] if config and config.fixed_input_size else shape[:2]
    if tuple(size) != shape[:2] and "img_size" not in arguments:
        raise ValueError(
            f"{name} takes images of {size[0]} x {size[1]}, not {shape[0]} x {shape[1]}; add "
            f"img_size: [{shape[0]}, {shape[1]}] to its arguments if its weights fit that"
        )
    try:
        network: nn.Module = create_model(
            name, pretrained, in_chans=shape[2], num_classes=classes, **arguments
        )
    except TypeError as error:
        raise ValueError(f"{name}: arguments {arguments}: {error}") from error
    return network
