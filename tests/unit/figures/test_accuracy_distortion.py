import numpy as np
import pandas as pd
import pytest

from robusteval.figures.accuracy_distortion import accuracy_distortion


def marks_of(axes):
    """Return where the models' marks are; rings and laws are lines of the axes, too."""
    lines = [line for line in axes.lines if len(line.get_xdata()) == 1]
    rings = [line for line in lines if line.get_markersize() > 5]
    place = [(line.get_xdata()[0], line.get_ydata()[0]) for line in lines if line not in rings]
    return place, [(ring.get_xdata()[0], ring.get_ydata()[0]) for ring in rings]


def test_each_model_stands_where_its_numbers_say(tables):
    frame = tables.accuracy_distortion()
    panels = frame.groupby(["attack", "norm"], sort=False)
    for axes, (_, part) in zip(tables.drawn("accuracy_distortion").axes, panels, strict=True):
        ok = part[part["status"] == "ok"]
        place, rings = marks_of(axes)
        assert place == list(zip(ok["accuracy_pct"], ok["distortion"], strict=True))
        members = ok[ok["on_frontier"]]
        assert rings == list(zip(members["accuracy_pct"], members["distortion"], strict=True))


def test_laws_are_drawn_between_the_models_they_are_fitted_to(tables):
    frame = tables.accuracy_distortion()
    frame["on_frontier"] = frame["model"] != tables.models[-1]
    axes = accuracy_distortion(frame).axes[1]
    part = frame[frame["norm"] == "l2"]
    laws = [line for line in axes.lines if len(line.get_xdata()) > 1]
    drawn = ("all", "frontier")[: len(tables.models) - 1]  # one member makes no line
    assert len(laws) == len(drawn)
    for line, name in zip(laws, drawn, strict=True):
        x = line.get_xdata()
        fitted = part if name == "all" else part[part["on_frontier"]]
        assert (x[0], x[-1]) == (fitted["accuracy_pct"].min(), fitted["accuracy_pct"].max())
        expected = part[f"{name}_a"].iloc[0] + part[f"{name}_b"].iloc[0] * np.log(1 - x / 100)
        np.testing.assert_array_equal(line.get_ydata(), expected)


def test_without_a_fit_there_is_no_line_and_it_is_said(small, visible_texts):
    frame = small.accuracy_distortion()
    fits = [c for c in frame if c.startswith(("all_", "frontier_"))]
    figure = accuracy_distortion(frame.assign(**dict.fromkeys(fits, np.nan)))
    assert all(len(line.get_xdata()) == 1 for axes in figure.axes for line in axes.lines)
    texts, _ = visible_texts(figure)
    assert sum(text.startswith("no fit") for text in texts) == 4


@pytest.mark.parametrize("count", [9, 28])
def test_many_panels_fit_a_page_without_overlap(tables, visible_texts, count):
    frame = tables.accuracy_distortion()
    panel = frame[frame["norm"] == "l2_per_pixel"].assign(status="ok")
    frame = pd.concat([panel.assign(condition=f"kappa {i}, random") for i in range(count)])
    figure = accuracy_distortion(frame)
    width, height = figure.get_size_inches()
    assert width < 8.3 and height < 11.7  # A4 paper
    texts, boxes = visible_texts(figure)
    assert (boxes[:, 2] <= figure.bbox.width + 1).all()
    side = np.minimum(boxes[:, None, 2:], boxes[:, 2:]) - np.maximum(
        boxes[:, None, :2], boxes[:, :2]
    )
    over = np.argwhere(np.triu((side > 1).all(2), k=1))  # boxes are rounded to whole pixels
    assert [(texts[a], texts[b]) for a, b in over] == []
