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
    """Return the values (N, U, P), a copy, of the U neurons of a layer at P positions.

    A layer that gives (N, U) has one position. Of (N, C, H, W) the channels are the neurons, of
    (N, T, D), which transformers give, the D components. With "mean" P is 1 and the values are
    float64; with "any" they are float32, since positions take memory.

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
    values = output.flatten(1).unsqueeze(2) if output.ndim == 2 else output.flatten(2)
    if positions == "mean":
        # In one memory layout, so that the rounding of a mean depends on its image alone.
        return values.contiguous().to(torch.float64).mean(2, keepdim=True)
    # A copy: the next layer may write into the output, as a ReLU in place does.
    return values.to(torch.float32, memory_format=torch.contiguous_format, copy=True)
