"""Neuron sensitivity: how much the neurons of each layer change when noise comes to an image."""

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from torch import Tensor, nn

from robusteval.attacks._goal import ANY_OTHER
from robusteval.attacks._inputs import check_inputs
from robusteval.batches import WIDTH
from robusteval.metrics.neuron_sensitivity import changes
from robusteval.neurons._activations import activations
from robusteval.neurons._layers import TYPES, layers_of
from robusteval.probes._clean import clean_logits
from robusteval.probes._noisy import PAPER, Noises, check_noises, keys_of, noisy

COLUMNS = ["row", "noise", "layer", "neuron", "neurons", "sensitivity"]
LAYER = -1  # in place of a neuron: the mean over all of the layer


def neuron_sensitivity(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Sequence[np.random.Generator],
    batch_size: int = WIDTH,
    progress: Callable[[int], None] | None = None,
    noises: Noises = PAPER,
    layers: Sequence[str] | None = None,
    types: Sequence[str] = TYPES,
    per_neuron: bool = False,
) -> pd.DataFrame:
    """Return how far the neurons of ``images`` (N, C, H, W) move, a row an image, noise and layer.

    ``sensitivity`` is the mean change of a neuron's value over its positions, from the image to its
    noisy copy, averaged over the neurons of the layer (``neuron`` is -1); the mean over images is
    the layer's neuron sensitivity. With ``per_neuron`` a row for each neuron follows. Lower is
    better, among networks of one architecture.

    Columns: row, noise, layer, neuron, neurons (of the layer), sensitivity.

    Args:
        model: maps images to logits (N, K), K at least 2; in evaluation mode; decides the device.
        images: float32 in [0, 1].
        labels: (N,), int64.
        generators: one an image.
        batch_size: images a pass.
        progress: called with the number of images done.
        noises: see `robusteval.probes.noise_insensitivity`.
        layers, types: see `robusteval.neurons._layers.layers_of`.

    Raises:
        ValueError: an argument is not usable, or there is no such layer (the message lists those
            there are).
        ModelError: the logits of the images themselves are not N x K finite numbers, activations
            are NaN or infinite, or an attack cannot use the model.

    Source: Zhang et al., arXiv 1909.06978; arXiv 2101.09617.
    """
    check_noises(noises)
    check_inputs(model, images, labels, generators, ANY_OTHER)
    keys = keys_of(generators, len(images))
    clean_logits(model, images, labels, batch_size)
    chosen = layers_of(model, names=layers, types=types)
    device = next(chain(model.parameters(), model.buffers()), images).device
    images = images.to(device)
    frames = []
    for label, noise in noises.items():
        copies = noisy(model, images, labels, keys, label, noise, batch_size).to(device)
        passes = (
            activations(model, x, chosen, positions="any", batch_size=batch_size)
            for x in (images, copies)
        )
        for (part, before), (_, after) in zip(*passes, strict=True):
            rows = np.arange(part.start, part.stop)
            for place, layer in enumerate(before):
                moved = changes(before[layer], after[layer])
                about = {"noise": label, "place": place, "layer": layer, "neurons": moved.shape[1]}
                means = moved.mean(axis=1, keepdims=True)
                frames.append(_frame(rows, means).assign(neuron=LAYER, **about))
                if per_neuron:
                    frames.append(_frame(rows, moved).assign(**about))
    if progress:
        progress(len(images))
    order = {label: number for number, label in enumerate(noises)}
    frame = pd.concat(frames, ignore_index=True)
    frame = frame.assign(order=frame["noise"].map(order))
    return frame.sort_values(["row", "order", "place", "neuron"], ignore_index=True)[COLUMNS]


def _frame(rows: NDArray[np.int64], values: NDArray[np.float64]) -> pd.DataFrame:
    """Return ``values`` (n, U) of images ``rows`` (n,) as rows of a table."""
    return pd.DataFrame(
        {
            "row": np.repeat(rows, values.shape[1]),
            "neuron": np.tile(np.arange(values.shape[1]), len(rows)),
            "sensitivity": values.ravel(),
        }
    )
