"""Sheets of images in rows with a label left of each row."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from robusteval.figures._style import HEIGHT, WIDTH, text_width

GAP = 0.04  # inches between two images


def image_grid(
    labels: Sequence[str], columns: int, *, breaks: Sequence[int] = ()
) -> tuple[Figure, list[list[Axes]]]:
    """Return a figure of ``len(labels)`` x ``columns`` square places, and its axes by row.

    A wider gap is left above each row whose number is in ``breaks``. The places are measured out
    in inches, since images have to stay square and close together whatever the labels' length.
    """
    margin = text_width(line for label in labels for line in label.split("\n")) + 0.1
    side = min(0.95, (WIDTH - margin) / columns - GAP, HEIGHT / len(labels) - GAP)
    width = margin + columns * (side + GAP)
    height = len(labels) * (side + GAP) + 2 * GAP * len(breaks) + GAP
    figure = Figure(figsize=(width, height))
    rows = []
    for r, label in enumerate(labels):
        drop = (r + 1) * (side + GAP) + 2 * GAP * sum(b <= r for b in breaks)
        rows.append(
            [
                figure.add_axes(
                    (
                        (margin + c * (side + GAP)) / width,
                        1 - drop / height,
                        side / width,
                        side / height,
                    )
                )
                for c in range(columns)
            ]
        )
        figure.text(
            (margin - 0.06) / width,
            1 - (drop - side / 2) / height,
            label,
            ha="right",
            va="center",
        )
    for place in (axes for row in rows for axes in row):
        place.set_axis_off()
    return figure, rows


def show(axes: Axes, image: NDArray[Any]) -> None:
    """Show ``image`` (H, W, C), uint8 or float in [0, 1], with one channel as grey."""
    pixels = image if image.dtype == np.uint8 else np.clip(image, 0, 1)
    top = 255 if image.dtype == np.uint8 else 1
    grey = pixels.shape[-1] == 1
    axes.imshow(pixels[..., 0] if grey else pixels, cmap="gray", vmin=0, vmax=top)
