"""AUROC over OpenOOD's groups of unknown sets, near and far, from those of single sets."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from robusteval.published.exports.openood import POSTPROCESSORS
from robusteval.published.measured import Measured

CIFAR_FAR = ("mnist", "svhn", "describable_textures", "places365")
GROUPS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "imagenet_validation": {
        "near": ("ssb_hard", "ninco"),
        "far": ("inaturalist", "describable_textures", "openimage_o"),
    },
    "cifar10_test": {"near": ("cifar100", "tiny_imagenet"), "far": CIFAR_FAR},
    "cifar100_test": {"near": ("cifar10", "tiny_imagenet"), "far": CIFAR_FAR},
}
"""The unknown sets of OpenOOD 1.5 by the images that are known, in ids that a study may give."""


def openood_groups(measured: Sequence[Measured]) -> Iterator[Measured]:
    """Yield mean AUROC over each group of which a study has all sets, as "near, MSP".

    The AUROC of a set has the condition "ninco, max_softmax". A mean has no interval of its own.
    """
    values: defaultdict[tuple[str, str, str], dict[str, Measured]] = defaultdict(dict)
    for m in measured:
        unknown, _, score = m.condition.partition(", ")
        if m.what == "auroc":
            values[m.model, m.test, score][unknown] = m
    for (_, test, score), found in values.items():
        for group, sets in GROUPS.get(test, {}).items():
            if all(name in found for name in sets):
                own = [found[name] for name in sets]
                mean = sum(m.percent for m in own) / len(own)
                condition = f"{group}, {POSTPROCESSORS.get(score, score)}"
                yield replace(own[0], condition=condition, percent=mean, low=None, high=None)
