from robusteval.figures.dar_by_kind import dar_by_kind


def titles(figure):
    return [axes.get_title(loc="left") for axes in figure.axes]


def test_kinds_have_their_order_and_others_follow(small):
    frame = small.dar_by_kind().replace({"kind": {"novel": "paintings"}})
    shuffled = frame.sample(frac=1, random_state=0)
    expected = ["clean", "corrupt", "adversarial", "unrecognisable", "mean", "paintings"]
    assert titles(dar_by_kind(shuffled)) == expected


def test_draws_each_number_where_it_belongs(tables):
    frame = tables.dar_by_kind()
    figure = tables.drawn("dar_by_kind")
    ok = frame[frame["status"] == "ok"]
    for axes, kind in zip(figure.axes, titles(figure), strict=True):
        rows = ok[ok["kind"] == kind]
        lines = [tables.models.index(model) for model in rows["model"]]
        dots = {(line.get_ydata()[0], line.get_xdata()[0]) for line in axes.lines}
        assert dots == set(zip(lines, rows["dar_pct_higher_better"], strict=True))


def test_broken_cell_is_no_dot_at_zero(small):
    figure = small.drawn("dar_by_kind")
    adversarial = figure.axes[titles(figure).index("adversarial")]
    assert [line.get_ydata()[0] for line in adversarial.lines] == [0]  # the other model only
    assert [patch.get_hatch() for patch in adversarial.patches] == ["////"]
