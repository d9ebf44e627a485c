import numpy as np
import pytest
from matplotlib.patches import StepPatch

from robusteval.figures.confidence_histograms import confidence_histograms


def steps(axes):
    return [patch for patch in axes.patches if isinstance(patch, StepPatch)]


def test_each_density_has_area_one(tables):
    figure = tables.drawn("confidence_histograms")
    for axes, model in zip(figure.axes, tables.models, strict=True):
        drawn = steps(axes)
        assert len(drawn) == (4 if model == tables.models[1] else 5)
        for step in drawn:
            values, edges, _ = step.get_data()
            # 25 products, each rounding once.
            assert np.sum(values * np.diff(edges)) == pytest.approx(1, abs=25 * 2.3e-16)


def test_bins_may_come_in_any_order(small):
    frame = small.confidence_histograms()
    ordered = confidence_histograms(frame)
    shuffled = frame.groupby(["model", "kind"], sort=False).sample(frac=1, random_state=0)
    for a, b in zip(ordered.axes, confidence_histograms(shuffled).axes, strict=True):
        for one, other in zip(steps(a), steps(b), strict=True):
            np.testing.assert_array_equal(one.get_data().values, other.get_data().values)


def test_threshold_is_a_vertical_line(small):
    for axes in confidence_histograms(small.confidence_histograms()).axes:
        (line,) = axes.lines
        assert line.get_xdata() == [0.55, 0.55]


@pytest.mark.parametrize("threshold", [np.nan, -np.inf])
def test_threshold_that_is_nowhere_is_not_drawn(small, threshold):
    frame = small.confidence_histograms().assign(threshold=threshold)
    assert not any(axes.lines for axes in confidence_histograms(frame).axes)


def test_legend_names_every_kind_and_the_threshold(tables):
    figure = tables.drawn("confidence_histograms")
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    kinds = ["clean", "corrupt", "adversarial", "novel", "unrecognisable"]
    assert names == [*kinds, "threshold"]


def test_a_kind_without_rows_is_listed(small, visible_texts):
    frame = small.confidence_histograms()
    gone = (frame["model"] == small.models[0]) & (frame["kind"] == "novel")
    texts, _ = visible_texts(confidence_histograms(frame[~gone]))
    assert "novel n/a" in texts


def test_label_is_the_callers(small):
    figure = confidence_histograms(small.confidence_histograms(), label="max logit")
    assert figure.get_supxlabel() == "max logit"


def test_gap_between_bins(small):
    frame = small.confidence_histograms()
    with pytest.raises(ValueError, match="bins of clean leave gaps"):
        confidence_histograms(frame.drop(index=3))


def test_two_thresholds(small):
    frame = small.confidence_histograms()
    frame.loc[0, "threshold"] = 0.7
    with pytest.raises(ValueError, match=r"thresholds \[0.7, 0.55\]"):
        confidence_histograms(frame)
