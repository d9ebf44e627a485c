"""What the drawings of attacks, transfer and laws take from the tables."""

import numpy as np
import pandas as pd
import pytest

from workflow_scripts import (
    draw_accuracy,
    draw_attack_transfer,
    draw_laws,
    draw_success,
    draw_transfer,
    draw_transfer_sources,
    tabulate_attacks,
    tabulate_transfer,
)
from workflow_scripts._law_points import MEAN, POINT
from workflow_scripts._populations import BOTH, COMMON, SOURCE
from workflow_scripts.tabulate_laws import ALL, FRONTIER


@pytest.fixture
def drawn(monkeypatch):
    """Take the place of a script's figure and keep what it is given."""
    given = []

    def replace(script, figure):
        def keep(frame, **options):
            given.append((frame.reset_index(drop=True), options))

        monkeypatch.setattr(script, figure, keep)
        monkeypatch.setattr(script, "save", lambda figure, paths: None)
        return given

    return replace


@pytest.fixture
def written(tmp_path):
    def write(frame, name="table"):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        return str(tmp_path / f"{name}.csv")

    return write


def transfer_table(goals):
    """Return rates 1, 2 ... of a pair, first fives 10 times as high, for each (attack, goal)."""
    rows = []
    for number, (attack, goal) in enumerate(goals, 1):
        for population in (BOTH, SOURCE):
            row = {"attack": attack, "condition": f"linf 0.1, {goal}", "goal": goal, "n": 9}
            row |= {"source": "a", "target": "b", "population": population, "status": "ok"}
            row[tabulate_transfer.VALUE] = number
            if goal != "untargeted":
                row |= {tabulate_transfer.TOP[1]: 5, tabulate_transfer.TOP[5]: 10 * number}
            rows.append(row)
    return pd.DataFrame(rows, columns=tabulate_transfer.COLUMNS)


GOALS = [("fgsm", "untargeted"), ("fgsm", "random"), ("pgd", "untargeted")]


def test_one_attack_with_the_rate_that_its_goal_asks_for(drawn, written):
    given = drawn(draw_attack_transfer, "transfer_matrices")
    draw_attack_transfer.draw_attack_transfer(written(transfer_table(GOALS)), "fgsm", [])
    ((frame, options),) = given
    assert frame[tabulate_transfer.VALUE].tolist() == [1, 20]
    assert options == {
        "rate": "wrong at the target or, with a target,\ntarget class in the first five"
    }


def test_where_five_say_nothing_the_first_class_counts(drawn, written):
    given = drawn(draw_attack_transfer, "transfer_matrices")
    table = transfer_table(GOALS[1:2]).assign(**{tabulate_transfer.TOP[5]: np.nan})
    draw_attack_transfer.draw_attack_transfer(written(table), "fgsm", [])
    ((frame, options),) = given
    assert frame[tabulate_transfer.VALUE].tolist() == [5]
    assert options == {"rate": "target class first"}


def test_the_overview_has_untargeted_attacks_only(drawn, written, tmp_path):
    given = drawn(draw_transfer, "transfer_matrices")
    draw_transfer.draw_transfer(written(transfer_table(GOALS)), [])
    ((frame, _),) = given
    assert frame[["attack", "goal"]].values.tolist() == [list(GOALS[0]), list(GOALS[2])]
    assert set(frame["population"]) == {BOTH}


def test_a_study_of_targeted_attacks_alone_says_so(written, tmp_path):
    path = tmp_path / "transfer.svg"
    draw_transfer.draw_transfer(written(transfer_table(GOALS[1:2])), [str(path)])
    assert path.read_text().startswith("<?xml")


def test_sources_by_goal(drawn, written):
    rows = [
        ("fgsm", "linf 0.1", "untargeted", BOTH, "wrong"),
        ("fgsm", "linf 0.1, random", "random", BOTH, "wrong"),
        ("fgsm", "linf 0.1, random", "random", BOTH, "target in top 1"),
        ("fgsm", "linf 0.1, random", "random", BOTH, "target in top 5"),
        ("fgsm", "linf 0.1", "untargeted", SOURCE, "wrong"),
    ]
    table = pd.DataFrame(rows, columns=["attack", "condition", "goal", "population", "rate"])
    given = drawn(draw_transfer_sources, "transfer_sources")
    draw_transfer_sources.draw_transfer_sources(written(table), [])
    ((frame, _),) = given
    # Groups come in the order of the table.
    assert frame["rate"].tolist() == ["wrong", "target in top 5"]
    assert set(frame["population"]) == {BOTH}


def test_a_model_whose_attack_failed_is_a_gap_in_each_setting(drawn, written):
    rows = [
        {"model": "a", "attack": "fgsm", "condition": c, "goal": "untargeted", "status": "ok"}
        | {"population": population, tabulate_attacks.VALUE: 50.0, "n": 9}
        for c in ("small", "large")
        for population in (SOURCE, COMMON)
    ]
    rows.append({"model": "b", "attack": "fgsm", "n": 0, "status": "it says NaN"})
    given = drawn(draw_success, "success_by_attack")
    table = pd.DataFrame(rows, columns=tabulate_attacks.COLUMNS)
    draw_success.draw_success(written(table), [])
    ((frame, _),) = given
    assert frame[["condition", "model", "status"]].values.tolist() == [
        ["small", "a", "ok"],
        ["small", "b", "not measured"],
        ["large", "a", "ok"],
        ["large", "b", "not measured"],
    ]


def law_tables():
    key = dict.fromkeys(POINT, "x") | {"population": SOURCE, "statistic": MEAN}
    panels = [("cw", "l2"), ("cw", "l1"), ("fgsm", "l2")]
    points, laws = [], []
    for number, (attack, norm) in enumerate(panels):
        for population in (SOURCE, COMMON):
            row = key | {"attack": attack, "norm": norm, "population": population}
            points += [{**row, "model": m, "distortion": number} for m in ("a", "b")]
            laws += [
                {**row, "models": models, "a": number, "b": b, "r_squared": 0.5}
                for b, models in enumerate((ALL, FRONTIER, "without vgg"), 1)
            ]
    return pd.DataFrame(points), pd.DataFrame(laws)


@pytest.mark.parametrize("population", [SOURCE, COMMON])
def test_laws_of_the_norms_that_an_attack_looks_for(drawn, written, population):
    points, laws = law_tables()
    given = drawn(draw_laws, "accuracy_distortion")
    tables = (written(points, "points"), written(laws, "laws"))
    draw_laws.draw_laws(*tables, population, {"cw": ["l2"], "other": ["l1"]}, [])
    ((frame, _),) = given
    assert frame[["attack", "norm", "model"]].values.tolist() == [
        ["cw", "l2", "a"],
        ["cw", "l2", "b"],
    ]
    assert set(frame["population"]) == {population}
    assert frame[["all_b", "frontier_b"]].values.tolist() == [[1, 2], [1, 2]]


def test_only_attacks_that_look_for_the_smallest_change_have_a_law():
    attacks = {"cw_short": "cw_l2", "fgsm": "fgsm", "search": "ifgsm_search"}
    assert draw_laws.norms_of(attacks) == {"cw_short": ("l2",), "search": ("linf",)}


def test_attacks_of_a_budget_have_no_law(written, tmp_path):
    points, laws = law_tables()
    tables = (written(points, "points"), written(laws, "laws"))
    path = tmp_path / "laws.svg"
    draw_laws.draw_laws(*tables, SOURCE, {}, [str(path)])
    assert path.read_text().startswith("<?xml")


def test_searches_for_the_smallest_distortion_have_no_accuracy_to_draw(drawn, written):
    given = drawn(draw_accuracy, "accuracy_by_test")
    tests = ["clean", "cw, minimal l2", "cw, minimal l2, random target", "cw_budget, l2 1"]
    table = written(pd.DataFrame({"model": "m", "test": tests}))
    draw_accuracy.draw_accuracy(table, ["cw"], [])
    assert given[0][0]["test"].tolist() == ["clean", "cw_budget, l2 1"]
