import numpy as np
import pandas as pd

from robusteval.figures.transfer_matrices import transfer_matrices

RATE = "rate_pct_higher_transfers_more"


def outlines(axes):
    return {(p.get_x(), p.get_y()) for p in axes.patches if not p.get_fill()}


def test_row_is_source_and_column_is_target(tables):
    frame = tables.transfer_matrices()
    m = len(tables.models)
    figure = tables.drawn("transfer_matrices")
    panels = [axes for axes in figure.axes if axes.get_title()]
    assert len(panels) == 4
    for axes, (_, rows) in zip(
        panels, frame.groupby(["attack", "condition"], sort=False), strict=True
    ):
        drawn = axes.collections[0].get_array().filled(np.nan)
        # The table's rows go through the targets of one source, then those of the next.
        np.testing.assert_array_equal(drawn, rows[RATE].to_numpy().reshape(m, m))


def test_models_stand_left_of_the_first_and_below_the_last_matrix(tables):
    panels = [a for a in tables.drawn("transfer_matrices").axes if a.get_title()]
    assert [label.get_text() for label in panels[0].get_yticklabels()] == tables.models
    assert [label.get_text() for label in panels[-1].get_xticklabels()] == tables.models


def test_titles_name_attack_and_condition(small):
    titles = [axes.get_title() for axes in small.drawn("transfer_matrices").axes]
    assert titles[:4] == ["fgsm_linf\neps=0.1", "fgsm_linf\neps=0.2", "pgd_linf\neps=0.1", "cw_l2"]


def test_white_box_diagonal_is_outlined(tables):
    figure = tables.drawn("transfer_matrices")
    for axes in [a for a in figure.axes if a.get_title()]:
        assert outlines(axes) == {(i, i) for i in range(len(tables.models))}


def test_diagonal_with_other_order_and_more_targets_than_sources():
    rows = [
        ("pgd", float("nan"), source, target, 10, 50.0, "ok")
        for target in ("c", "b", "a")
        for source in ("a", "b")
    ]
    columns = ["attack", "condition", "source", "target", "n", RATE, "status"]
    axes = transfer_matrices(pd.DataFrame(rows, columns=columns)).axes[0]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["a", "b", "c"]
    assert outlines(axes) == {(0, 0), (1, 1)}
    assert axes.get_title() == "pgd"


def test_the_colour_bar_says_what_is_counted(small, visible_texts):
    frame = small.transfer_matrices()
    texts, _ = visible_texts(transfer_matrices(frame, rate="target in its first five classes"))
    assert sum(text.startswith("target in its first five classes, %\n(n = ") for text in texts) == 1


def test_missing_pair_is_a_gap(small):
    frame = small.transfer_matrices().iloc[2:]
    axes = transfer_matrices(frame).axes[0]
    assert sum(patch.get_hatch() == "////" for patch in axes.patches) == 2
