import numpy as np

from robusteval.figures.dar_curve import KNOWN, UNKNOWN, dar_curve


def test_each_model_has_its_curve_and_one_mark_at_the_studys_threshold(tables):
    frame = tables.dar_curve()
    (axes,) = tables.drawn("dar_curve").axes
    whole = [m for m in tables.models if m != tables.models[1]]
    curves, marked = axes.lines[::2], axes.lines[1::2]
    assert len(curves) == len(marked) == len(whole)
    for model, curve, mark in zip(whole, curves, marked, strict=True):
        rows = frame[frame["model"] == model]
        np.testing.assert_array_equal(curve.get_xdata(), rows[UNKNOWN])
        np.testing.assert_array_equal(curve.get_ydata(), rows[KNOWN])
        own = rows[rows["of_study"] == "yes"]
        assert mark.get_xydata().tolist() == own[[UNKNOWN, KNOWN]].to_numpy().tolist()


def test_rows_in_any_order_give_the_same_curve(small):
    frame = small.dar_curve()
    shuffled = frame[::-1].sort_values("model", kind="stable")
    (axes,), (again,) = (dar_curve(f).axes for f in (frame, shuffled))
    assert axes.lines[0].get_xydata().tolist() == again.lines[0].get_xydata().tolist()


def test_two_models_of_one_colour_have_other_lines(tables):
    (axes,) = tables.drawn("dar_curve").axes
    looks = {(line.get_color(), line.get_linestyle()) for line in axes.lines[::2]}
    assert len(looks) == len(axes.lines[::2])
