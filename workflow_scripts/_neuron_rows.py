"""What neurons do, layer by layer, from the readings of a probe."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robusteval.metrics.neuron_uncertainty import neuron_uncertainty
from robusteval.records import OK
from robusteval.seeds import generator
from workflow_scripts._spread import HIGH, LOW, mean_with_interval, significant

VALUE = "value_mean_lower_better"
LAYERS = "mean over layers"
RESAMPLES = 200  # of the variances of all of a layer's neurons
LAYER = -1  # in place of a neuron: the mean over its layer

Row = dict[str, Any]


def neuron_rows(row: Row, probe: str, part: pd.DataFrame) -> Iterator[Row]:
    """Yield a row a layer, for each noise, and one for the mean over the layers."""
    of = _sensitivities if probe == "neuron_sensitivity" else _uncertainties
    yield from of(row, part)


def _sensitivities(row: Row, part: pd.DataFrame) -> Iterator[Row]:
    """Yield the mean change of a neuron of each layer, over images."""
    part = part[part["neuron"] == LAYER]
    for noise, found in part.groupby("noise", sort=False):
        about = {**row, "metric": "neuron sensitivity", "noise": noise}
        table = found.pivot(index="image_id", columns="layer", values="sensitivity")
        sizes = found.groupby("layer", sort=False)["neurons"].first()
        for layer, neurons in sizes.items():
            values = table[layer].to_numpy(np.float64)
            yield _row(about, str(layer), int(neurons), len(values), _spread(values, about, layer))
        means = table.to_numpy(np.float64).mean(1)
        spread = _spread(means, about, LAYERS)
        yield _row(about, LAYERS, int(sizes.sum()), len(means), spread)


def _uncertainties(row: Row, part: pd.DataFrame) -> Iterator[Row]:
    """Yield the mean variance of a neuron of each layer; its interval resamples images."""
    about = {**row, "metric": "neuron uncertainty"}
    found = []
    neurons, n = 0, part["image_id"].nunique()
    for layer, of_layer in part.groupby("layer", sort=False):
        table = of_layer.pivot(index="image_id", columns="neuron", values="activation")
        values = table.to_numpy(np.float64)
        variance = float(neuron_uncertainty(values).mean())
        low, high = _interval(values, str(layer), *map(str, row.values()))
        found.append(variance)
        neurons += values.shape[1]
        spread = {VALUE: significant(variance), LOW: low, HIGH: high}
        yield _row(about, str(layer), values.shape[1], len(values), spread)
    mean = {VALUE: significant(float(np.mean(found)))}
    yield _row(about, LAYERS, neurons, n, mean)


def _interval(values: NDArray[np.float64], *key: str) -> tuple[float, float]:
    """Return the percentile interval of the mean variance of neurons, ``values`` (N, U).

    The mean variance over neurons is the mean squared distance of an image from the centre, so
    that resampling needs the (N, N) products of images only, however many neurons there are.
    """
    n = len(values)
    if n < 2:
        return float("nan"), float("nan")
    centred = values - values.mean(0)
    products = centred @ centred.T / values.shape[1]
    own = products.diagonal()
    draws = generator(0, "neuron_uncertainty", *key).multinomial(
        n, np.full(n, 1 / n), size=RESAMPLES
    )
    weights = draws / n
    spread = weights @ own - np.einsum("ri,ij,rj->r", weights, products, weights, optimize=True)
    low, high = np.quantile(spread, [0.025, 0.975], method="closest_observation")
    return significant(float(low)), significant(float(high))


def _spread(values: NDArray[np.float64], about: Row, layer: Any) -> dict[str, float]:
    return mean_with_interval(values, VALUE, *map(str, about.values()), str(layer))


def _row(about: Row, layer: str, neurons: int, n: int, values: dict[str, float]) -> Row:
    return {**about, "layer": layer, "neurons": neurons, "n": n, **values, "status": OK}
