"""The figure of many models: who gets a name, and where the line and the ticks are."""

import numpy as np
import pandas as pd
import pytest

from robusteval.figures.effective_robustness import (
    _ticks,
    effective_robustness,
    logits,
    named,
)


def frame_of(count):
    """Return ``count`` models on one set; the third is far above the line, the fifth far below."""
    base = np.linspace(60, 85, count)
    residual = np.full(count, 0.0)
    residual[[2, 4]] = 15, -15
    return pd.DataFrame(
        {
            "model": [f"net{i}" for i in range(count)],
            "test": "imagenet_v2",
            "base_test": "imagenet_validation",
            "base_accuracy_pct": base,
            "foretold_accuracy_pct": base - 12,
            "shifted_accuracy_pct": base - 12 + residual,
            "effective_robustness_points_higher_better": residual,
            "status": "ok",
        }
    )


def test_of_few_models_all_have_a_mark_of_many_those_furthest_from_the_line():
    assert len(named(frame_of(20))) == 20
    many = named(frame_of(300))
    assert len(many) == 4 and {many[0], many[2]} == {"net2", "net4"}


def test_every_model_is_a_point_and_the_line_runs_through_what_is_foretold():
    (axes,) = effective_robustness(frame_of(300)).axes
    lines = [line.get_xydata() for line in axes.get_lines()]
    assert sum(len(xy) for xy in lines if len(xy) != 2) == 300
    (line,) = [xy for xy in lines if len(xy) == 2]
    ends = [[logits([base])[0], logits([base - 12])[0]] for base in (60, 85)]
    assert line == pytest.approx(np.array(ends), rel=1e-12)  # the same formula


def test_ticks_lie_around_values_that_are_close_together():
    assert _ticks(logits([61, 62])) == [60, 80]
    assert _ticks(logits([5, 85])) == [5, 10, 20, 40, 60, 80]


def test_long_names_do_not_leave_the_page(visible_texts):
    frame = frame_of(300)
    frame["model"] = frame["model"] + "_with_a_name_as_long_as_the_longest_ones_of_timm"
    figure = effective_robustness(frame)
    _, boxes = visible_texts(figure)
    assert boxes[:, :2].min() >= -1.0  # a pixel of rounding
    assert (boxes[:, 2:] <= figure.bbox.size + 1.0).all()


def test_a_set_on_which_no_model_was_measured_is_an_empty_panel(visible_texts):
    frame = frame_of(6)
    other = frame.assign(test="imagenet_r", status="failed", shifted_accuracy_pct=np.nan)
    texts, _ = visible_texts(effective_robustness(pd.concat([frame, other])))
    assert "6 models" in texts and "0 models; n/a: 6" in texts
