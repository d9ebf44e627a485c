"""FMR over the seeds of a method, by hand."""

import pandas as pd
import pytest

from workflow_scripts.draw_fmr_by_method import draw_fmr_by_method, measured
from workflow_scripts.tabulate_fmr_by_method import tabulate_fmr_by_method

METHODS = {"plain": {"plain_1": 1, "plain_2": 2, "plain_3": 3}}
FMR = {"plain_1": 20.0, "plain_2": 21.0, "plain_3": 25.0, "other": 1.0}
CONTROLS = {"step": None, "random": "random direction"}
SD = "sd_over_seeds_divisor_n_minus_1_pct_points"


@pytest.fixture
def fmr():
    """A row for each model, test and condition: 10 more in the control, 1 less on choosing."""
    about = {"generator": "g", "oracle": "o", "judged_by": "stand-in", "step": "sign"}
    about |= {"step_size": 0.1, "budget": 5, "n": 64, "valid_n": 60, "status": "ok"}
    return pd.DataFrame(
        {"model": m, "test": test, "condition": c, "control": control, **about,
         "sa_pct_higher_better": 90.0, "pa_all_pct_higher_better": 1.0,
         "oracle_relative_fmr_pct_higher_better": v + 10 * (c == "random") - (test == "choice")}
        for m, v in FMR.items() for test in ("mine", "choice") for c, control in CONTROLS.items()
    )  # fmt: skip


@pytest.fixture
def made(fmr, tmp_path):
    def make(fmr=fmr):
        fmr.to_csv(tmp_path / "fmr.csv", index=False)
        path = tmp_path / "fmr_by_method.csv"
        tabulate_fmr_by_method(str(tmp_path / "fmr.csv"), ["mine"], METHODS, str(path))
        return pd.read_csv(path, dtype=str, keep_default_na=False)

    return make


def test_each_score_has_its_mean_and_spread(made):
    found = made()
    assert found["score"].tolist() == ["sa", "oracle_relative_fmr"] * 2  # not PA_all
    assert set(found["test"]) == {"mine"} and set(found["method"]) == {"plain"}
    lines = found.set_index(["condition", "score"])
    # 20, 21 and 25: mean 22, squares of differences 4 + 1 + 9, over 2: sd 2.6458.
    names = ["mean_score_pct_higher_better", SD, "min_over_seeds_pct", "max_over_seeds_pct"]
    relative = lines.loc[("step", "oracle_relative_fmr")]
    assert relative[names].tolist() == ["22.0", "2.65", "20.0", "25.0"]
    assert lines.loc[("random", "oracle_relative_fmr"), names[0]] == "32.0"
    assert lines.loc[("step", "sa"), names].tolist() == ["90.0", "0.0", "90.0", "90.0"]
    about = ["n_seeds", "seeds", "n", "valid_n", "control", "step_size", "status"]
    assert relative[about].tolist() == ["3", "1 2 3", "64", "60", "none", "0.1", "ok"]
    assert lines.loc[("random", "sa"), "control"] == "random direction"


@pytest.mark.parametrize(
    ("column", "value", "status"),
    [
        ("status", "out of memory", "plain_2: out of memory"),
        ("valid_n", 59, "valid_n differs from seed to seed: 60, 59"),
        ("oracle_relative_fmr_pct_higher_better", None, "plain_2: no value"),
    ],
)
def test_a_seed_without_its_own_value_takes_the_mean_with_it(made, fmr, column, value, status):
    fmr.loc[(fmr["model"] == "plain_2") & (fmr["condition"] == "step"), column] = value
    lines = made(fmr).set_index(["condition", "score"])
    line = lines.loc[("step", "oracle_relative_fmr")]
    assert line["status"] == status and line["mean_score_pct_higher_better"] == line[SD] == ""
    assert lines.loc[("random", "oracle_relative_fmr"), "status"] == "ok"


def test_what_is_measured_is_drawn(made, tmp_path):
    made()
    frame = measured(pd.read_csv(tmp_path / "fmr_by_method.csv"))
    assert frame["condition"].tolist() == ["step"] and len(frame) == 1
    assert frame["mean_oracle_relative_fmr_pct_higher_better"].tolist() == [22.0]
    path = tmp_path / "fmr_by_method.png"
    draw_fmr_by_method(str(tmp_path / "fmr_by_method.csv"), [str(path)])
    assert path.stat().st_size > 5_000  # an empty page has less
