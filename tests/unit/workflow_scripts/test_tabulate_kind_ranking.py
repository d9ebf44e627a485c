import numpy as np
import pandas as pd
import pytest

from workflow_scripts._dar import VALUE
from workflow_scripts.draw_kind_ranking import draw_kind_ranking
from workflow_scripts.tabulate_kind_ranking import (
    TAU,
    agreement,
    ranks,
    tabulate_kind_ranking,
)


@pytest.fixture
def frame():
    values = {"clean": [90, 80, 70], "novel": [10, 20, 20], "mean": [50, 50, np.nan]}
    rows = [
        {"model": f"m{i}", "kind": kind, "n": 100, VALUE: value,
         "status": "ok" if np.isfinite(value) else "a kind is missing"}
        for kind, column in values.items() for i, value in enumerate(column)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_ranks_are_by_kind_and_equal_values_share_theirs(frame):
    found = pd.DataFrame(ranks(frame))
    assert found["rank_1_is_best"].tolist()[:8] == [1, 2, 3, 3, 1.5, 1.5, 1.5, 1.5]
    last = found.iloc[-1]
    assert np.isnan(last["rank_1_is_best"]) and last["status"] == "a kind is missing"
    assert found["models"].tolist() == [3] * 6 + [2] * 3


def test_agreement_is_over_the_models_that_have_both(frame):
    clean_novel, clean_mean, novel_mean = agreement(frame)
    # Two of three pairs in reverse, one tied: -2 / sqrt(3 * 2).
    assert clean_novel[TAU] == round(-2 / 6**0.5, 4) and clean_novel["n_models"] == 3
    for row in (clean_mean, novel_mean):
        assert row["n_models"] == 2 and TAU not in row
        assert "one value for all 2 models in the second" in row["status"]


def test_a_kind_that_no_model_has(frame):
    frame.loc[frame["kind"] == "novel", "status"] = "NaN"
    first, _, _ = agreement(frame)
    assert (first["n_models"], first["status"]) == (0, "no model has both")


def test_tables_and_figure(frame, tmp_path):
    frame.to_csv(tmp_path / "dar.csv", index=False)
    outputs = {name: str(tmp_path / f"{name}.csv") for name in ("ranks", "agreement")}
    tabulate_kind_ranking(str(tmp_path / "dar.csv"), outputs)
    assert len(pd.read_csv(outputs["ranks"])) == 9
    drawn = str(tmp_path / "ranking.png")
    draw_kind_ranking(outputs["ranks"], outputs["agreement"], [drawn])
    many = (tmp_path / "ranking.png").stat().st_size
    frame[frame["model"] == "m0"].to_csv(tmp_path / "dar.csv", index=False)
    tabulate_kind_ranking(str(tmp_path / "dar.csv"), outputs)
    assert pd.read_csv(outputs["agreement"])["status"].str.contains("one value for all 1").all()
    draw_kind_ranking(outputs["ranks"], outputs["agreement"], [drawn])
    assert 0 < (tmp_path / "ranking.png").stat().st_size < many  # it says that there is no order


def test_searched_images_are_in_no_ranking(frame, tmp_path):
    beside = frame[frame["kind"] == "clean"].assign(kind="searched")
    outputs = {}
    for name, table in (("five", frame), ("six", pd.concat([frame, beside]))):
        table.to_csv(tmp_path / f"{name}.csv", index=False)
        outputs[name] = {part: str(tmp_path / f"{name}_{part}") for part in ("ranks", "agreement")}
        tabulate_kind_ranking(str(tmp_path / f"{name}.csv"), outputs[name])
    for part in ("ranks", "agreement"):
        assert (tmp_path / f"five_{part}").read_bytes() == (tmp_path / f"six_{part}").read_bytes()
