"""Adversarial images and, amplified, what was added to the clean ones."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from robusteval.figures._images import image_grid, show
from robusteval.figures._style import house

FACTORS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
VISIBLE = 0.01  # in [0, 1]; rarer and larger changes than the upper 1% may saturate


@house
def adversarial_examples(
    clean: NDArray[np.floating[Any]], attacks: Mapping[str, NDArray[np.floating[Any]]]
) -> Figure:
    """Return a sheet with the clean images, then for each attack its images and its changes.

    All arrays are (n, H, W, C) float in [0, 1]. A change is drawn around mid-grey, multiplied by a
    factor that is stated beside the row: the largest round one with which at most 1% of the
    changed values leave the scale.

    Raises:
        ValueError: there is no image or no attack, or an array has another shape or type.
    """
    if not attacks:
        raise ValueError("no attack given: expected at least one")
    for name, images in {"clean": clean, **attacks}.items():
        if images.shape != clean.shape or images.ndim != 4 or not images.size:
            raise ValueError(f"{name}: shape {images.shape}, expected {clean.shape} = (n, H, W, C)")
        if not np.issubdtype(images.dtype, np.floating):
            raise ValueError(f"{name}: type {images.dtype}, expected float in [0, 1]")
    changes = {name: images - clean for name, images in attacks.items()}
    factors = {name: amplification(change) for name, change in changes.items()}
    labels = ["clean"]
    for name in attacks:
        labels += [name, f"change \N{MULTIPLICATION SIGN} {factors[name]}"]
    figure, rows = image_grid(labels, len(clean), breaks=range(1, len(labels), 2))
    sheets = [clean]
    for name, images in attacks.items():
        sheets += [images, 0.5 + factors[name] * changes[name]]
    for row, images in zip(rows, sheets, strict=True):
        for axes, image in zip(row, images, strict=True):
            show(axes, image)
    return figure


def amplification(change: NDArray[np.floating[Any]]) -> int:
    """Return the largest factor in ``FACTORS`` that keeps 99% of the changes within mid-grey +-0.5.

    Values that did not change are left out, so that a sparse change is not blown up.
    """
    size = np.abs(change[change != 0])
    if not size.size:
        return 1
    reach = float(np.quantile(size, 1 - VISIBLE))
    return max((factor for factor in FACTORS if factor * reach <= 0.5), default=1)
