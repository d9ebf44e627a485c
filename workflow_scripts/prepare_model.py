"""Prepare a model that was trained elsewhere: its published weights, converted and checked once."""

import importlib
import logging
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from torch import nn

from robusteval.files import replacing, sha256
from robusteval.images._source import class_ids
from robusteval.licences import KEY, licence_of
from robusteval.models._card import build, save_model
from robusteval.models._checkpoint import read_checkpoint
from robusteval.models._fit import put_weights
from robusteval.models._normalised import Normalised
from robusteval.models._origin import found
from robusteval.models._published import check_published
from robusteval.models._trial import trial

log = logging.getLogger(__name__)

PROGRAM = "program.pt"  # beside the weights, for builders that run a file
HOW = ("match", "key", "prefix", "ignore")  # of `weights`: how tensors find their places


def prepare_model(
    entry: dict[str, Any],
    classes: list[str],
    view: dict[str, Any],
    folder: Path,
    *,
    allow_unlicensed: bool = False,
) -> None:
    """Write weights and card of the catalogue's ``entry`` into ``folder``.

    ``view`` says how images become pixels; its size is that of the images, a number or [H, W].

    Raises:
        ValueError: the weights cannot be had, do not fit or have no licence (unless
            ``allow_unlicensed``), the library wants other images for them, or the model does not
            return a finite logit for each class.
    """
    card = _card(entry, classes, view)
    weights = entry.get("weights", {"hub": True})
    builder = importlib.import_module(f"robusteval.models.{card['builder']}")
    published = getattr(builder, "published", None)
    about = published(**card["arguments"]) if published is not None else None
    check_published(card, about, card["builder"], entry.get("differs", ()))
    card |= _licence(card["builder"], weights, about, allow=allow_unlicensed)
    torch.manual_seed(0)  # of parts that the weights lack and the entry ignores
    if "hub" in weights:
        model = _with_own_weights(builder, card)
    else:
        model = _with_weights(weights, card, folder)
    _settle(model)
    shape, count = tuple(card["input_size"]), len(classes)
    logits, steady = trial(model, shape, count)
    again = build(card, folder)
    again.load_state_dict(model.state_dict())
    if not steady:
        log.warning("the model answers differently when it is asked again: it is random")
    elif not torch.equal(trial(_settle(again), shape, count)[0], logits):
        raise ValueError(
            f"{card['builder']} {card['arguments']}: built anew with the same weights, the model "
            f"answers differently: what it does depends on more than its arguments and weights"
        )
    save_model(folder, model, card)
    log.info("%s: %s", folder, card["weights"])


def _card(entry: dict[str, Any], classes: list[str], view: dict[str, Any]) -> dict[str, Any]:
    """Return the card but for the origin of the weights."""
    size = view.get("size")
    if size is None:
        raise ValueError(f"view {view}: size is missing")
    height, width = (size, size) if isinstance(size, int) else size
    libraries = {entry["builder"]} & {"timm", "torchvision"}
    optional = {k: entry[k] for k in ("published_accuracy", "cite", "differs") if k in entry}
    return {
        "builder": entry["builder"],
        "arguments": entry.get("arguments", {}),
        "classes": list(classes),
        "input_size": [height, width, len(entry["mean"])],
        "mean": entry["mean"],
        "std": entry["std"],
        "view": view,
        "torch": torch.__version__,
        **optional,
        **{library: version(library) for library in libraries},
    } | _code(entry)


def _licence(
    builder: str, weights: dict[str, Any], published: dict[str, Any] | None, *, allow: bool
) -> dict[str, Any]:
    """Return the licence that others published the weights under; nothing of a person's own."""
    from_library = "hub" in weights and builder in ("timm", "torchvision")
    if not (from_library or "url" in weights or "package" in weights):
        return {}
    known = published or {} if from_library else {}
    where = f"weights of {builder}: {weights.get('package') or weights.get('url') or 'hub'}"
    return {"licence": licence_of({**known, **weights}, where, allow=allow)}


def _code(entry: dict[str, Any]) -> dict[str, Any]:
    """Return the file of the user's own code, if there is one, and its hash."""
    if entry["builder"] != "function":
        return {}
    from robusteval.models.function import source

    file = source(entry["arguments"]["function"])
    if file is None or not file.is_file():
        return {}
    return {"code": {"file": str(file), "sha256": sha256(file)}}


def _with_own_weights(builder: Any, card: dict[str, Any]) -> Normalised:
    """Return the model with the weights that its builder brings along."""
    if not hasattr(builder, "pretrained"):
        raise ValueError(
            f"builder {card['builder']} has no weights of its own; name a file, a package or a "
            "URL, as in weights: {file: PATH}"
        )
    shape = tuple(card["input_size"])
    network, origin = builder.pretrained(
        classes=len(card["classes"]), shape=shape, **card["arguments"]
    )
    card["weights"] = {"hub": origin}
    return Normalised(network, card["mean"], card["std"])


def _with_weights(weights: dict[str, Any], card: dict[str, Any], folder: Path) -> Normalised:
    """Return the model with the weights of a file, which may be the program itself."""
    file, origin = found(weights, folder.parent / ".downloads")
    card["weights"] = origin | {key: weights[key] for key in HOW if key in weights}
    if card["builder"] == "torchscript":
        with replacing(folder / PROGRAM) as temporary:
            shutil.copyfile(file, temporary)
        card["program"] = {"file": PROGRAM, "sha256": origin["sha256"]}
        return build(card, folder)
    model = build(card)
    match = weights.get("match", "name")
    put_weights(
        model.network,
        read_checkpoint(file, key=weights.get("key"), ordered=match == "order"),
        file,
        classes=len(card["classes"]),
        match=match,
        prefix=weights.get("prefix", ""),
        ignore=weights.get("ignore", ()),
    )
    return model


def _settle(model: nn.Module) -> nn.Module:
    """Return the model as `load_model` will: evaluation mode, channels-last, no gradients."""
    return model.float().to(memory_format=torch.channels_last).eval().requires_grad_(False)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        torch.set_num_threads(snakemake.threads)
        prepare_model(
            snakemake.params.entry,
            list(class_ids(snakemake.params.entry)),
            snakemake.params.view,
            Path(snakemake.output.card).parent,
            allow_unlicensed=snakemake.config.get(KEY, False),
        )
