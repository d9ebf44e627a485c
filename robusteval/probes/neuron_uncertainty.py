"""Neuron uncertainty: the values of each layer's neurons, from which their variance comes."""

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
import pandas as pd
from torch import Tensor, nn

from robusteval.attacks._goal import ANY_OTHER
from robusteval.attacks._inputs import check_inputs
from robusteval.batches import WIDTH
from robusteval.neurons._activations import activations
from robusteval.neurons._layers import TYPES, layers_of
from robusteval.probes._clean import clean_logits

COLUMNS = ["row", "layer", "neuron", "neurons", "activation"]


def neuron_uncertainty(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Sequence[np.random.Generator] | None = None,
    batch_size: int = WIDTH,
    progress: Callable[[int], None] | None = None,
    layers: Sequence[str] | None = None,
    types: Sequence[str] = TYPES,
) -> pd.DataFrame:
    """Return the values of neurons for ``images`` (N, C, H, W), a row an image and neuron.

    A convolution's neuron is a channel, its value the mean over positions. The variance over
    images, which `robusteval.metrics.neuron_uncertainty` takes, is the neuron's uncertainty.

    Columns: row, layer, neuron, neurons (of the layer), activation.

    Args:
        model: maps images to logits (N, K), K at least 2; in evaluation mode; decides the device.
        images: float32 in [0, 1].
        labels: (N,), int64.
        generators: not used.
        batch_size: images a pass.
        progress: called with the number of images done.
        layers, types: see `robusteval.neurons._layers.layers_of`.

    Raises:
        ValueError: an argument is not usable, or there is no such layer (the message lists those
            there are).
        ModelError: the logits of the images themselves are not N x K finite numbers, or activations
            are NaN or infinite.

    Source: arXiv 2101.09617.
    """
    check_inputs(model, images, labels, generators, ANY_OTHER)
    clean_logits(model, images, labels, batch_size)
    chosen = layers_of(model, names=layers, types=types)
    device = next(chain(model.parameters(), model.buffers()), images).device
    frames = []
    for part, values in activations(model, images.to(device), chosen, batch_size=batch_size):
        rows = np.arange(part.start, part.stop)
        for place, (layer, found) in enumerate(values.items()):
            count = found.shape[1]
            frames.append(
                pd.DataFrame(
                    {
                        "row": np.repeat(rows, count),
                        "place": place,
                        "layer": layer,
                        "neuron": np.tile(np.arange(count), len(rows)),
                        "neurons": count,
                        "activation": found[:, :, 0].ravel(),
                    }
                )
            )
    if progress:
        progress(len(images))
    frame = pd.concat(frames, ignore_index=True)
    return frame.sort_values(["row", "place", "neuron"], ignore_index=True)[COLUMNS]
