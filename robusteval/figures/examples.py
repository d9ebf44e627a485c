"""Example images of each kind of data."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from robusteval.figures._images import image_grid, show
from robusteval.figures._style import house


@house
def examples(kinds: Mapping[str, NDArray[np.uint8]]) -> Figure:
    """Return a sheet of images with one row for each kind of data.

    Each value is (n, H, W, C) uint8 with one or three channels. Rows may differ in n and in size.

    Raises:
        ValueError: there is no kind, or an array has another shape or type.
    """
    if not kinds:
        raise ValueError("no kind of data given: expected at least one")
    for kind, images in kinds.items():
        if images.ndim != 4 or images.dtype != np.uint8 or not images.size:
            raise ValueError(
                f"{kind}: {images.dtype} {images.shape}, expected uint8 (n, H, W, C), n at least 1"
            )
    columns = max(len(images) for images in kinds.values())
    figure, grid = image_grid(list(kinds), columns)
    for axes, images in zip(grid, kinds.values(), strict=True):
        for place, image in zip(axes, images, strict=False):
            show(place, image)
    return figure
