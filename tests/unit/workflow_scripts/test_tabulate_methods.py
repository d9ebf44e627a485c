"""Mean and spread over seeds, by hand."""

import pandas as pd
import pytest

from workflow_scripts._dar import OPTIONS
from workflow_scripts.draw_accuracy_by_method import draw_accuracy_by_method
from workflow_scripts.draw_dar_by_method import draw_dar_by_method
from workflow_scripts.tabulate_methods import tabulate_methods

METHODS = {"plain": {"plain_1": 1, "plain_2": 2, "plain_3": 3}, "mixup": {"m_1": 1, "m_5": 5}}
VALUES = {"plain_1": 90.0, "plain_2": 91.0, "plain_3": 95.0, "m_1": 80.0, "m_5": 83.0, "other": 1.0}
SD = "sd_over_seeds_divisor_n_minus_1_pct_points"


@pytest.fixture
def accuracy():
    """Two tests of six models, the second of which is a point worse for each."""
    return pd.DataFrame(
        {"model": m, "test": test, "conditions": 1, "n": n, "accuracy_pct_higher_better": v - less,
         "status": "ok"}
        for m, v in VALUES.items() for test, n, less in (("clean", 1000, 0), ("fgsm", 500, 1))
    )  # fmt: skip


@pytest.fixture
def dar():
    options = dict.fromkeys(OPTIONS, "x") | {"target_rate": 0.95}
    return pd.DataFrame(
        {"model": m, "kind": kind, "sets": 2, "n": 1000, "dar_pct_higher_better": v,
         **options, "status": "ok"}
        for m, v in VALUES.items() for kind in ("clean", "mean")
    )  # fmt: skip


@pytest.fixture
def made(accuracy, dar, tmp_path):
    """Writes both tables and reads them, as text so that counts show what they look like."""

    def make(accuracy=accuracy, dar=dar):
        paths = [str(tmp_path / name) for name in ("accuracy.csv", "dar.csv", "a.csv", "d.csv")]
        accuracy.to_csv(paths[0], index=False)
        dar.to_csv(paths[1], index=False)
        tabulate_methods(*paths[:2], METHODS, *paths[2:])
        read = [pd.read_csv(path, dtype=str, keep_default_na=False) for path in paths[2:]]
        return read[0].set_index(["method", "test"]), read[1].set_index(["method", "kind"])

    return make


def test_mean_and_spread_over_the_seeds_of_a_method(made):
    by_test, by_kind = made()
    assert list(by_test.index) == [
        ("plain", "clean"), ("plain", "fgsm"), ("mixup", "clean"), ("mixup", "fgsm"),
    ]  # fmt: skip
    # 90, 91 and 95: mean 92, squares of differences 4 + 1 + 9, over 2: sd 2.6458.
    expected = ["3", "1 2 3", "1000", "92.0", "2.65", "90.0", "95.0", "1", "ok"]
    assert by_test.loc[("plain", "clean")].tolist() == expected
    # 80 and 83, less 1: mean 80.5, sd 3 / sqrt(2) = 2.1213.
    expected = ["2", "1 5", "500", "80.5", "2.12", "79.0", "82.0", "1", "ok"]
    assert by_test.loc[("mixup", "fgsm")].tolist() == expected
    assert by_kind.loc[("plain", "mean")].tolist() == [
        "3", "1 2 3", "1000", "92.0", "2.65", "90.0", "95.0", "2", "x", "x", "x", "0.95", "x", "x",
        "ok",
    ]  # fmt: skip
    assert by_test.columns.tolist() == [
        "n_seeds", "seeds", "n", "mean_accuracy_pct_higher_better", SD, "min_over_seeds_pct",
        "max_over_seeds_pct", "conditions", "status",
    ]  # fmt: skip


def test_a_method_with_a_broken_seed_has_no_mean(made, accuracy):
    broken = (accuracy["model"] == "plain_2") & (accuracy["test"] == "fgsm")
    accuracy.loc[broken, "status"] = "out of memory"
    accuracy.loc[broken, ["accuracy_pct_higher_better", "conditions"]] = None
    accuracy.loc[broken, "n"] = 0
    by_test, _ = made(accuracy)
    line = by_test.loc[("plain", "fgsm")]
    assert line["status"] == "plain_2: out of memory" and line["n"] == "0"
    assert line["mean_accuracy_pct_higher_better"] == line[SD] == line["conditions"] == ""
    assert by_test.loc[("plain", "clean"), "conditions"] == "1"
    assert (by_test.drop(index=[("plain", "fgsm")])["status"] == "ok").all()


def test_a_seed_that_a_test_lacks_is_named(made, accuracy):
    """A broken attack has one line, not one for each of its conditions."""
    lost = (accuracy["model"] == "plain_3") & (accuracy["test"] == "fgsm")
    by_test, _ = made(accuracy[~lost])
    assert by_test.loc[("plain", "fgsm"), "status"] == "plain_3: nothing in the table"


@pytest.mark.parametrize(
    ("table", "column", "value", "status"),
    [
        ("accuracy", "n", 400, "n differs from seed to seed: 1000, 400"),
        ("accuracy", "conditions", 3, "conditions differs from seed to seed: 1, 3"),
        ("dar", "mask", "all", "mask differs from seed to seed: x, all"),
    ],
)
def test_what_was_measured_differently_is_not_averaged(
    made, accuracy, dar, table, column, value, status
):
    frames = {"accuracy": accuracy, "dar": dar}
    frames[table].loc[frames[table]["model"] == "m_5", column] = value
    found = dict(zip(frames, made(**frames), strict=True))[table]
    assert found.loc[("mixup", "clean"), "status"] == status
    assert found.loc[("plain", "clean"), "status"] == "ok"


def test_images_that_could_not_be_read_are_counted_here_too(made, accuracy):
    by_test, by_kind = made(accuracy.assign(unreadable_left_out="2 of photographs"))
    assert (by_test["unreadable_left_out"] == "2 of photographs").all()
    assert "unreadable_left_out" not in by_kind


def test_both_are_drawn(made, tmp_path):
    made()
    draw_accuracy_by_method(str(tmp_path / "a.csv"), [str(tmp_path / "a.png")])
    draw_dar_by_method(str(tmp_path / "d.csv"), [str(tmp_path / "d.png")])
    assert (tmp_path / "a.png").stat().st_size > 10_000  # an empty page has less
    assert (tmp_path / "a.png").read_bytes() != (tmp_path / "d.png").read_bytes()
