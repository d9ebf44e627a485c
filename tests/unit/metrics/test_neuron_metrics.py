import numpy as np
import pytest

from robusteval.metrics.neuron_sensitivity import neuron_sensitivity
from robusteval.metrics.neuron_uncertainty import neuron_uncertainty


def test_sensitivity_by_hand():
    before = np.array([[1, 2, 3, 4], [0, 0, 0, 0]], float)[:, None]
    after = np.array([[1, 3, 3, 2], [0.5, 0.5, 0, 0]])[:, None]
    assert neuron_sensitivity(before, after).tolist() == [(0.75 + 0.25) / 2]
    scalar = np.array([2.0, 1.0])[:, None, None], np.array([5.0, 1.0])[:, None, None]
    assert neuron_sensitivity(*scalar).tolist() == [1.5]


def test_uncertainty_by_hand():
    found = neuron_uncertainty(np.array([[1, 0, 2], [3, 0, 2], [5, 6, 2]]))
    # Population variances; float64.
    assert found == pytest.approx([8 / 3, 8, 0], abs=1e-14)
    assert found.mean() == pytest.approx(3.5555556, abs=1e-7)  # as printed


def test_against_loops():
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 30, 4, 6))
    loop = [sum(np.abs(x[i, u] - y[i, u]).sum() / 6 for i in range(30)) / 30 for u in range(4)]
    # Float64 sums of 180 numbers of about 1, in another order.
    assert neuron_sensitivity(x, y) == pytest.approx(loop, abs=1e-13)
    values = x[:, :, 0]
    loop = [sum((v - values[:, u].mean()) ** 2 for v in values[:, u]) / 30 for u in range(4)]
    assert neuron_uncertainty(values) == pytest.approx(loop, abs=1e-13)


def test_arguments_that_cannot_be_used_are_named():
    x = np.ones((3, 2, 4))
    with pytest.raises(ValueError, match=r"clean \(3, 2, 4\), noisy \(3, 2, 1\)"):
        neuron_sensitivity(x, x[..., :1])
    with pytest.raises(ValueError, match="hold NaN or infinity"):
        neuron_sensitivity(x, x * np.nan)
    with pytest.raises(ValueError, match=r"values of shape \(3, 2, 4\): expected \(N, U\)"):
        neuron_uncertainty(x)
