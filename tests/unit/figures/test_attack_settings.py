import numpy as np
import pandas as pd
import pytest

from robusteval.figures import success_by_attack
from robusteval.figures._settings import draw_settings, setting
from robusteval.figures.success_by_attack import VALUE


def matrices(figure):
    return [axes for axes in figure.axes if axes.get_title(loc="left")]


def cells(axes):
    return axes.collections[0].get_array().filled(np.nan)


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (("cw", "kappa 0, random", "random"), "cw, kappa 0"),
        (("cw", "kappa 0", "random"), "cw, kappa 0"),
        (("cw_random", "kappa 0, random", "random"), "cw, kappa 0"),
        (("cw_random", float("nan"), "random"), "cw"),
        (("random_cw", "random, 10 steps", "random"), "random_cw, random, 10 steps"),
        (("cw", "kappa 0"), "cw, kappa 0"),
        (("cw", float("nan")), "cw"),
    ],
)
def test_what_a_setting_is_called(given, name):
    assert setting(*given) == name


def test_a_matrix_for_each_goal(tables, monkeypatch):
    monkeypatch.setattr(success_by_attack, "IN_ONE", 0)
    frame = tables.success_by_attack()
    panels = matrices(tables.drawn("success_by_attack"))
    titles = [axes.get_title(loc="left") for axes in panels]
    assert titles == ["untargeted", "target: random", "target: runner_up"]
    for axes, (_, rows) in zip(panels, frame.groupby("goal", sort=False), strict=True):
        # The table's rows go through the models of one setting, then those of the next.
        expected = rows[VALUE].to_numpy().reshape(-1, len(tables.models)).T
        np.testing.assert_array_equal(cells(axes), expected)


def test_settings_are_named_once_where_all_have_the_same(small, monkeypatch):
    monkeypatch.setattr(success_by_attack, "IN_ONE", 0)
    first, *_, last = matrices(small.drawn("success_by_attack"))
    shown = [t.get_text() for t in last.get_xticklabels() if t.get_visible()]
    assert shown[0] == "fgsm, linf 0.1" and shown[-1] == "cw_l2, kappa 40"
    assert not any(t.get_visible() for t in first.get_xticklabels())


def test_transfer_by_targets(tables):
    frame = tables.transfer_sources()
    panels = matrices(tables.drawn("transfer_sources"))
    assert panels[1].get_title(loc="left") == "to the source's family"
    own = frame[frame["targets"] == "the source's family"]
    expected = own["mean_pct_higher_transfers_more"].to_numpy()
    np.testing.assert_array_equal(cells(panels[1]), expected.reshape(6, -1).T)


def test_more_settings_than_a_page_is_wide_go_on_below():
    table = pd.DataFrame(np.arange(80.0).reshape(2, 40), index=["a", "b"])
    figure = draw_settings([("untargeted", table.rename(columns=str))], "%", xlabel="x", ylabel="y")
    first, second = matrices(figure)
    assert second.get_title(loc="left") == "untargeted, continued"
    np.testing.assert_array_equal(np.hstack([cells(first), cells(second)]), table)
    assert figure.get_size_inches()[0] < 8.3  # A4 paper
    # Cells have one size in all matrices.
    assert first.get_xlim() == second.get_xlim()
