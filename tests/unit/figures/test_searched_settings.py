"""What of the settings of searches is drawn."""

import itertools

import pandas as pd

from robusteval.figures.searched_settings import searched_settings


def rows(test, sizes):
    cells = itertools.product(["a", "b"], [test], sizes, [0, 5])
    frame = pd.DataFrame(cells, columns=["model", "test", "step_size", "budget"])
    return frame.assign(status="ok", fmr_valid_pct_higher_better=50.0)


def drawn(frame):
    """Return the tests of the panels, which stand above them."""
    figure = searched_settings(frame)
    return [t.get_text() for ax in figure.axes for t in ax.texts if t.get_text().startswith("zoo")]


def test_searches_of_one_step_size_are_drawn_where_none_has_several():
    several, one = rows("zoo choice", [0.1, 0.3]), rows("zoo", [0.1])
    assert drawn(pd.concat([several, one])) == ["zoo choice"] * 2
    assert drawn(one) == ["zoo"] * 2
