import numpy as np
import pandas as pd
import pytest

from robusteval.records import Records, failed
from workflow_scripts._neuron_rows import LAYERS, VALUE
from workflow_scripts.tabulate_structure import (
    DISTANCE,
    ENI,
    boundary_rows,
    neuron_rows,
    noise_rows,
    rows,
)


@pytest.fixture
def cell():
    """Make the readings of a probe from columns."""

    def make(probe, **columns):
        frame = pd.DataFrame({"condition": "c", **columns})
        return Records(frame, np.empty((len(frame), 0), np.float32), settings={"probe": probe})

    return make


def table(cell, wanted):
    return list(rows({("m", "t"): cell}, wanted))


def test_ebd_counts_wrong_images_0_and_capped_ones_at_the_cap(cell):
    status = ["ok", "not reached", "misclassified"]
    ebd = cell(
        "ebd",
        image_id=[1, 2, 3] * 2,
        sides=["one"] * 3 + ["two"] * 3,
        distance=[0.2, 0.4, 0.0, 0.1, 0.4, 0.0],
        step=[2, 0, 0, 1, 0, 0],
        forwards=[10, 20, 1] * 2,
        status=status * 2,
    )
    one, two = table(ebd, boundary_rows)
    assert (one["metric"], one["distance_is"], one["n"]) == ("EBD", "RMS, one-sided", 3)
    assert (one[DISTANCE], two[DISTANCE]) == (0.2, 0.1667)
    assert (one["misclassified_count_0"], one["not_reached_at_cap"]) == (1, 1)
    assert (one["cap_scale_0_1"], one["not_measured"], one["status"]) == (0.4, 0, "ok")
    assert one["forwards_per_image"] == 10.3


def test_what_was_not_measured_is_counted_and_named(cell):
    ebd = cell(
        "ebd",
        image_id=[1, 2],
        sides="one",
        distance=[0.2, np.nan],
        step=[2, 0],
        forwards=1,
        status=["ok", "logits not finite"],
    )
    (row,) = table(ebd, boundary_rows)
    assert (row["n"], row["not_measured"], row["status"]) == (2, 1, "logits not finite")
    assert row[DISTANCE] == 0.2


@pytest.mark.parametrize("stuck", ["no gradient", "gradients not finite"])
def test_a_walk_that_came_to_no_end_has_no_distance(cell, stuck):
    ebd_2 = cell(
        "ebd_2",
        image_id=[1, 2, 3],
        distance=[0.1, 0.0, 0.3],
        steps=[1, 50, 50],
        forwards=2,
        backwards=1,
        status=["ok", stuck, "not reached"],
        **{"class": -1},
    )
    (row,) = table(ebd_2, boundary_rows)
    assert (row[DISTANCE], row["not_reached_at_cap"]) == (0.2, 1)
    assert (row["n"], row["not_measured"], row["status"]) == (3, 1, stuck)
    assert row["steps_mean_higher_better"] == 25.5


def test_ebd_2_to_each_class_goes_by_image(cell):
    ebd_2 = cell(
        "ebd_2",
        image_id=[1, 1, 1, 2, 2],
        distance=[0.1, 0.1, 0.3, 0.5, 0.5],
        steps=[1, 1, 3, 5, 5],
        forwards=[2, 2, 4, 6, 6],
        backwards=[1, 1, 3, 5, 5],
        status="ok",
        **{"class": [-1, 0, 2, -1, 0]},
    )
    any_class, each = table(ebd_2, boundary_rows)
    assert any_class["distance_is"] == "L-infinity, to any class"
    assert (any_class[DISTANCE], any_class["steps_mean_higher_better"]) == (0.3, 3)
    assert (each[DISTANCE], each["forwards_per_image"]) == (0.35, 6)  # of 0.2 and 0.5; of 6 and 6


def test_noise_by_hand(cell):
    noise = cell(  # the losses of vector T11: slopes 2, 2, 1, and a copy that is the image
        "noise_insensitivity",
        image_id=[1, 2, 1, 2],
        label=0,
        noise=["a", "a", "b", "b"],
        insensitivity=[2.0, 2.0, 1.0, np.nan],
        distance=[0.1, 0.2, 0.05, 0.0],
        prediction=0,
        noisy_prediction=[0, 1, 0, 0],
        status=["ok", "ok", "ok", "not changed"],
    )
    a, b, whole = table(noise, noise_rows)
    assert [row[ENI] for row in (a, b, whole)] == [2.0, 1.0, 1.75]  # by image: 1.5 and 2
    assert [row["pairs"] for row in (a, b, whole)] == [2, 1, 3]
    assert (b["pairs_left_out"], whole["noise"], whole["n"]) == (1, "all noises", 2)
    assert (a["right_before_pct"], a["right_after_pct"]) == (100, 50)


def test_sensitivity_is_a_mean_over_images_then_layers(cell):
    readings = cell(
        "neuron_sensitivity",
        image_id=[1, 1, 2, 2, 2],
        noise="a",
        layer=["x", "y", "x", "y", "y"],
        neuron=[-1, -1, -1, -1, 0],
        neurons=[2, 3, 2, 3, 3],
        sensitivity=[1.0, 2.0, 3.0, 4.0, 99.0],
    )
    x, y, mean = table(readings, neuron_rows)
    assert [row[VALUE] for row in (x, y, mean)] == [2.0, 3.0, 2.5]
    assert (mean["layer"], mean["neurons"], mean["n"]) == (LAYERS, 5, 2)


def test_uncertainty_is_the_population_variance(cell):
    values = np.array([[1, 0, 2], [3, 0, 2], [5, 6, 2]], float)  # vector T13: 2.667, 8 and 0
    readings = cell(
        "neuron_uncertainty",
        image_id=np.repeat([1, 2, 3], 3),
        layer="x",
        neuron=np.tile([0, 1, 2], 3),
        neurons=3,
        activation=values.ravel(),
    )
    x, mean = table(readings, neuron_rows)
    assert x[VALUE] == mean[VALUE] == 3.556
    assert 0 <= x["bootstrap95_low"] <= 3.556 <= x["bootstrap95_high"]


def test_a_probe_that_failed_has_a_row_with_the_reason():
    reason = "the logits have no gradient"
    cells = {("m", "t"): failed(reason, {"probe": "ebd_2"})}
    (row,) = rows(cells, boundary_rows)
    assert (row["n"], row["status"], row["metric"]) == (0, reason, "EBD-2")
    assert list(rows(cells, noise_rows)) == []
