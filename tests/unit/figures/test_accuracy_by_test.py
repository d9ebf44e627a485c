import numpy as np


def test_draws_each_number_where_it_belongs(tables):
    frame = tables.accuracy_by_test()
    figure = tables.drawn("accuracy_by_test")
    ok = frame[frame["status"] == "ok"]
    for axes in figure.axes:
        test = axes.get_title(loc="left")
        rows = ok[ok["test"] == test]
        lines = [tables.models.index(model) for model in rows["model"]]
        dots = {(line.get_ydata()[0], line.get_xdata()[0]) for line in axes.lines}
        assert dots == set(zip(lines, rows["accuracy_pct_higher_better"], strict=True))
        intervals = np.concatenate([c.get_segments() for c in axes.collections])[:, :, 0]
        ends = rows[["low95_pct", "high95_pct"]]
        np.testing.assert_array_equal(np.sort(intervals, axis=0), np.sort(ends, axis=0))


def test_numbers_are_written_beside_the_dots(small, visible_texts):
    frame = small.accuracy_by_test()
    texts, _ = visible_texts(small.drawn("accuracy_by_test"))
    written = sorted(text for text in texts if "." in text)
    ok = frame[frame["status"] == "ok"]
    assert written == sorted(f"{value:.1f}" for value in ok["accuracy_pct_higher_better"])


def test_one_colour_a_model_in_all_panels(small):
    figure = small.drawn("accuracy_by_test")
    for axes in figure.axes:
        colours = {line.get_ydata()[0]: line.get_color() for line in axes.lines}
        assert colours.items() <= {0: "#0072b2", 1: "#d55e00"}.items()


def test_number_of_images_stands_with_the_test(small, visible_texts):
    texts, _ = visible_texts(small.drawn("accuracy_by_test"))
    assert texts.count("n = 1,000") == 6
