"""Models that differ in nothing but the seed of their training: one method, several seeds."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

Methods = dict[str, dict[str, int]]
"""Seeds by model, by method."""


def methods_of(models: Iterable[str], entries: Mapping[str, Mapping[str, Any]]) -> Methods:
    """Return the methods that ``models`` have from two seeds or more, in their order.

    Models are of one method if builder, arguments and training of their ``entries`` agree but for
    the seed. Of two that agree in the seed, too, the first stands for both: they are one model, and
    would weigh twice in a mean. Wrapped models are not trained, and of no method.
    """
    groups: dict[str, dict[int, str]] = {}
    for model in models:
        entry = entries[model]
        if "training" in entry and "wraps" not in entry:
            training = dict(entry["training"])
            seed = training.pop("seed")
            same = json.dumps([entry["builder"], entry["arguments"], training], sort_keys=True)
            groups.setdefault(same, {}).setdefault(seed, model)
    several = [{m: s for s, m in own.items()} for own in groups.values() if len(own) > 1]
    names = [method_name(own) for own in several]
    return {
        name if names.count(name) == 1 else next(iter(own)): own
        for name, own in zip(names, several, strict=True)
    }


def method_name(seeds: Mapping[str, int]) -> str:
    """Return what the ids of models with these ``seeds`` have in common.

    That is the id without the seed at its end (fashion_cutmix_1 gives fashion_cutmix, net_seed_3
    gives net); where these differ, the parts that all ids begin with; else the first id.
    """
    bare = [re.sub(rf"_(seed_?|s)?0*{seed}$", "", model) for model, seed in seeds.items()]
    if len(set(bare)) == 1:
        return bare[0]
    shared = []
    for parts in zip(*(model.split("_") for model in seeds), strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return "_".join(shared) or next(iter(seeds))
