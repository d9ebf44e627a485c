import numpy as np
import pandas as pd

from robusteval.figures.corruption_heatmap import corruption_heatmap


def panel(figure, model):
    (found,) = [a for a in figure.axes if a.get_title().replace("\n", "") == model]
    return found


def test_colours_and_numbers_are_those_of_the_table(tables):
    frame = tables.corruption_heatmap()
    figure = tables.drawn("corruption_heatmap")
    for model, rows in frame.groupby("model", sort=False):
        axes = panel(figure, model)
        expected = rows["error_pct_lower_better"].to_numpy().reshape(15, 5)
        drawn = axes.collections[0].get_array()
        np.testing.assert_array_equal(drawn.filled(np.nan), expected)
        written = ["n/a" if np.isnan(v) else f"{v:.0f}" for v in expected.flat]
        assert [text.get_text() for text in axes.texts] == written


def test_broken_cell_is_hatched(small):
    figure = small.drawn("corruption_heatmap")
    (patch,) = panel(figure, small.models[0]).patches
    assert patch.get_hatch() == "////"
    assert (patch.get_x(), patch.get_y()) == (2, 7)  # row 37: severity 3 of the eighth corruption


def test_numbers_stay_inside_their_cells(tables, visible_texts):
    figure = tables.drawn("corruption_heatmap")
    axes = panel(figure, tables.models[0])
    cell = axes.get_window_extent().width / 5, axes.get_window_extent().height / 15
    texts, boxes = visible_texts(figure)
    numbers = [box for text, box in zip(texts, boxes, strict=True) if text in ("100", "n/a")]
    for x0, y0, x1, y1 in numbers:
        assert (x1 - x0) < cell[0]
        assert (y1 - y0) < cell[1]


def test_numbers_that_would_be_too_small_are_left_out(small):
    frame = small.corruption_heatmap()
    severities = [frame.assign(severity=frame["severity"] + 5 * i) for i in range(12)]
    figure = corruption_heatmap(pd.concat(severities))
    assert not any(text.get_visible() for text in panel(figure, small.models[0]).texts)


def test_one_severity(small):
    frame = small.corruption_heatmap()
    figure = corruption_heatmap(frame[frame["severity"] == 3])
    assert panel(figure, small.models[1]).collections[0].get_array().shape == (15, 1)


def test_the_same_corruption_in_two_tests_has_two_panels(tables):
    one = tables.corruption_heatmap().assign(test="built")
    two = pd.concat([one, one.assign(test="published")], ignore_index=True)
    figure = corruption_heatmap(two)
    for model in one["model"].unique():
        for test in ("built", "published"):
            titles = ["".join(a.get_title().split()) for a in figure.axes]
            assert f"{model},{test}" in titles
