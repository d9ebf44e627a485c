"""Oracles as they are described: members, models on disk or of a library, with one voice."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from robusteval.models._card import check_size, load_model
from robusteval.oracles._oracle import Oracle
from robusteval.oracles._prompts import TEMPLATES
from robusteval.oracles.open_clip import open_clip
from robusteval.oracles.supervised import supervised
from robusteval.oracles.zoo import zoo

log = logging.getLogger(__name__)

FOUNDATION, STAND_IN = "foundation model", "stand-in"


def load_oracle(
    entry: Mapping[str, Any],
    models: Mapping[str, Path],
    *,
    classes: Sequence[str],
    shape: Sequence[int],
    device: str = "cpu",
) -> tuple[Oracle, dict[str, str]]:
    """Return the oracle of an ``entry``, and the members' hashes of weights by name.

    An entry has ``members``, each a ``model`` whose folder is in ``models``, or an ``open_clip``
    model with ``pretrained`` weights and, if it likes, ``templates``; and a ``rule`` of
    `robusteval.oracles.zoo`, majority if it has none; ``names`` of the classes in words, where the
    images' own are none. The hash of an open_clip model is its name.

    Args:
        classes: in the order of the labels; names in words where a member reads them.
        shape: (H, W, C) of the images.

    Raises:
        ValueError: a member cannot be had, or is for other images or classes.
    """
    members: list[Oracle] = []
    hashes: dict[str, str] = {}
    named = entry.get("names", classes)
    if len(named) != len(classes):
        raise ValueError(f"names: {len(named)} names for images of {len(classes)} classes")
    for member in entry["members"]:
        if "open_clip" in member:
            name, pretrained = member["open_clip"], member["pretrained"]
            templates = member.get("templates", TEMPLATES)
            members.append(
                open_clip(
                    classes=named,
                    name=name,
                    pretrained=pretrained,
                    templates=templates,
                    device=device,
                )
            )
            hashes[f"{name} {pretrained}"] = f"open_clip {name} {pretrained}"
            continue
        model, card = load_model(models[member["model"]], device)
        check_size(shape, card)
        if len(card["classes"]) != len(classes):
            raise ValueError(
                f"oracle member {member['model']} has {len(card['classes'])} classes, the images "
                f"have {len(classes)}: give it the classes of the images"
            )
        members.append(supervised(model))
        hashes[member["model"]] = card["weights_sha256"]
    one = members[0] if len(members) == 1 else zoo(members, rule=entry.get("rule", "majority"))
    return one.to(device).eval().requires_grad_(False), hashes


def kind_of(entry: Mapping[str, Any]) -> str:
    """Return whether foundation models alone judge, or a stand-in has a voice."""
    return FOUNDATION if all("open_clip" in m for m in entry["members"]) else STAND_IN
