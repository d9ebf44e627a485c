import numpy as np
import pandas as pd

from robusteval.figures.framework_page import UNIFIED, framework_page


def drawn(rows):
    """Return the line (groups and the first again) of model a."""
    frame = pd.DataFrame(rows, columns=["model", "group", "metric", UNIFIED])
    frame = frame.assign(n=5, value=frame[UNIFIED], value_is="higher is better", status="ok")
    radar = framework_page(frame, "a").axes[0]
    return radar.get_lines()[-1].get_ydata()


def test_a_spoke_is_the_mean_of_the_metrics_that_all_have():
    both = [(m, g, x, 0.5) for m in "ab" for g, x in (("g", "x"), ("h", "z"))]
    line = drawn([*both, ("a", "g", "y", 1.0), ("b", "g", "y", 0.0)])
    np.testing.assert_array_equal(line, [0.75, 0.5, 0.75])


def test_a_spoke_is_open_where_a_metric_of_others_is_missing():
    both = [(m, g, x, 0.5) for m in "ab" for g, x in (("g", "x"), ("h", "z"))]
    line = drawn([*both, ("a", "g", "y", None), ("b", "g", "y", 0.0)])
    np.testing.assert_array_equal(line, [np.nan, 0.5, np.nan])
    line = drawn([*both, ("a", "g", "y", None), ("b", "g", "y", None)])
    np.testing.assert_array_equal(line, [0.5, 0.5, 0.5])
