"""Searched images beside their originals and round trips, with what model and oracle see."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from robusteval.figures._images import image_grid, show
from robusteval.figures._style import SMALL, house
from robusteval.figures.adversarial_examples import amplification

Labels = Sequence[tuple[str, str]]  # what the model and the oracle see, an image
WRONG = "#d55e00"


@house
def searched_examples(
    original: NDArray[np.uint8],
    round_trip: NDArray[np.uint8],
    searched: Mapping[str, NDArray[np.uint8]],
    said: Mapping[str, Labels],
    valid: NDArray[np.bool_],
    truth: Sequence[str],
) -> Figure:
    """Return a sheet: originals, round trips, then each model's searched images and their change.

    All arrays are (n, H, W, C). The change is that from the round trip, around mid-grey, times the
    factor beside the row; there is none where the oracle rejects the round trip, which is all
    models' (``valid`` (n,)). In each image stands what the model (m) and the oracle (o) see, in
    orange where it is not the true class; ``said`` has it by the label of the row, ``truth`` is the
    class (y) of each column.

    Raises:
        ValueError: there is no model, or an array has another shape.
    """
    if not searched:
        raise ValueError("no searched images given: expected those of at least one model")
    for name, images in {"round trip": round_trip, **searched}.items():
        if images.shape != original.shape or images.ndim != 4 or not images.size:
            raise ValueError(f"{name}: shape {images.shape}, expected {original.shape}")
    labels = ["original", "round trip"]
    sheets: list[NDArray[Any]] = [original, round_trip]
    for name, images in searched.items():
        change = images.astype(np.float32) / 255 - round_trip.astype(np.float32) / 255
        change = change * valid[:, None, None, None]
        factor = amplification(change)
        labels += [name, f"change \N{MULTIPLICATION SIGN} {factor}"]
        sheets += [images, 0.5 + factor * change]
    breaks = range(2, len(labels), 2)
    figure, rows = image_grid(labels, len(original), breaks=breaks)
    for label, row, images in zip(labels, rows, sheets, strict=True):
        for column, (axes, image) in enumerate(zip(row, images, strict=True)):
            show(axes, image)
            if label in said:
                _name(axes, said[label][column], truth[column])
            elif not valid[column]:
                _write(axes, "rejected:\nthe original", 0.42, WRONG)
    for axes, name in zip(rows[0], truth, strict=True):
        _write(axes, f"y {_short(name)}", 0.13, "white")
    return figure


def _name(axes: Axes, pair: tuple[str, str], truth: str) -> None:
    """Write what model and oracle see into the image, on a dark ground."""
    for who, name, height in (("m", pair[0], 0.13), ("o", pair[1], 0.01)):
        if name:
            colour = "white" if name == truth else WRONG
            _write(axes, f"{who} {_short(name)}", height, colour)


def _write(axes: Axes, text: str, height: float, colour: str) -> None:
    ground = {"facecolor": "black", "alpha": 0.75, "pad": 0.4, "linewidth": 0}
    axes.text(
        0.02,
        height,
        text,
        transform=axes.transAxes,
        fontsize=SMALL - 2.2,
        color=colour,
        va="bottom",
        ha="left",
        bbox=ground,
    )


def _short(name: str) -> str:
    return name if len(name) <= 11 else name[:10] + "\N{HORIZONTAL ELLIPSIS}"
