import pandas as pd
import pytest

from robusteval.figures.seed_spread import HIGH, LOW, SCALE, SD, seed_spread

MEAN = "mean_accuracy_pct_higher_better"


def titles(figure):
    return [axes.get_title(loc="left") for axes in figure.axes]


def test_dots_are_means_and_lines_go_from_least_to_largest(tables):
    frame = tables.seed_spread()
    figure = tables.drawn("seed_spread")
    assert titles(figure) == list(frame["test"].unique())
    ok = frame[frame["status"] == "ok"]
    for axes, test in zip(figure.axes, titles(figure), strict=True):
        rows = ok[ok["test"] == test]
        lines = [tables.models.index(method) for method in rows["method"]]
        dots = {(line.get_ydata()[0], line.get_xdata()[0]) for line in axes.lines}
        assert dots == set(zip(lines, rows[MEAN], strict=True))
        ends = [part.get_segments()[0][:, 0].tolist() for part in axes.collections]
        assert ends == rows[[LOW, HIGH]].to_numpy().tolist()
        assert axes.get_xlim()[0] < rows[LOW].min() and axes.get_xlim()[1] > rows[HIGH].max()


def test_mean_and_deviation_stand_at_the_right(small, visible_texts):
    frame = small.seed_spread()
    texts, _ = visible_texts(small.drawn("seed_spread"))
    first = frame.iloc[0]
    assert f"{first[MEAN]:.1f} ± {first[SD]:.1f}" in texts
    assert "3 seeds, n = 1,000" in texts


def test_dar_by_kind_is_drawn_in_the_same_way(small):
    frame = small.seed_spread()
    dar = frame.rename(columns={MEAN: "mean_dar_pct_higher_better", "test": "kind"})
    figure = seed_spread(dar)
    assert titles(figure) == titles(small.drawn("seed_spread"))
    assert "DAR" in figure.axes[-1].get_xlabel()


@pytest.mark.parametrize("value", [50.0, 0.0, 100.0])
def test_seeds_that_agree_do_not_blow_up_the_scale(value):
    frame = pd.DataFrame(
        {"method": ["a"], "test": ["clean"], "n_seeds": [2], "n": [10], MEAN: [value], SD: [0.0],
         LOW: [value], HIGH: [value], "status": ["ok"]}
    )  # fmt: skip
    low, high = seed_spread(frame).axes[0].get_xlim()
    assert high - low == SCALE and low < value < high
