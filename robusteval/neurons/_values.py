"""The values of neurons, from the output of a layer."""

import torch
from torch import Tensor

POSITIONS = ("mean", "any")


def check_positions(positions: str) -> None:
    """Check the way in which the positions of a channel become values.

    Raises:
        ValueError: it is none of `POSITIONS`.
    """
    if positions not in POSITIONS:
        raise ValueError(f"positions {positions!r}: one of {', '.join(POSITIONS)} expected")


def values_of(output: object, positions: str, layer: str) -> Tensor:
    """Return the values (N, U, P), float64, of the U neurons of a layer at P positions.

    A layer that gives (N, U) has one position. Of (N, C, H, W) the channels are the neurons, of
    (N, T, D), which transformers give, the D components. With "mean" P is 1.

    Raises:
        ValueError: the output is no tensor of two to four dimensions; the message names the layer.
    """
    if not isinstance(output, Tensor) or not 2 <= output.ndim <= 4:
        said = tuple(output.shape) if isinstance(output, Tensor) else type(output).__name__
        raise ValueError(
            f"layer {layer!r} gives {said}: expected a tensor (N, U), (N, T, D) or (N, C, H, W); "
            "choose other layers"
        )
    if output.ndim == 3:
        output = output.transpose(1, 2)
    # In one memory layout and precision, so that the rounding of a mean depends on its image alone.
    values = output.flatten(1).unsqueeze(2) if output.ndim == 2 else output.flatten(2)
    values = values.contiguous().to(torch.float64)
    return values.mean(2, keepdim=True) if positions == "mean" else values
