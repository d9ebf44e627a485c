from itertools import pairwise

import numpy as np
import pandas as pd

from robusteval.figures.kind_ranking import RANK, kind_ranking

RANKS = (1, 2.5, 2.5)


def lines_by_model(figure):
    return {line.get_label(): line for line in figure.axes[0].lines if line.get_label()[0] != "_"}


def test_points_are_the_ranks_and_a_missing_one_is_a_gap(tables):
    frame = tables.kind_ranking()
    found = lines_by_model(tables.drawn("kind_ranking"))
    for model in tables.models:
        rows = frame[frame["model"] == model]
        np.testing.assert_array_equal(found[model].get_ydata(), rows[RANK])
    assert np.isnan(found[tables.models[1]].get_ydata()).sum() == 2  # a kind, and so the mean


def test_the_best_is_on_top(small):
    low, high = small.drawn("kind_ranking").axes[0].get_ylim()
    assert low > high


def test_agreement_stands_between_the_kinds_it_is_of(tables, visible_texts):
    frame = tables.kind_ranking()
    pairs = list(pairwise(frame["kind"].unique()))
    taus = {pair: 0.1 * i for i, pair in enumerate(pairs)} | {pairs[2]: np.nan}
    figure = kind_ranking(frame, taus)
    written = {t.get_text(): t.get_position()[0] for t in figure.axes[0].texts}
    places = {text: x for text, x in written.items() if text.startswith("tau")}
    assert places == {"tau 0.00": 0.5, "tau 0.10": 1.5, "tau 0.30": 3.5, "tau 0.40": 4.5}


def test_models_of_one_rank_are_named_below_each_other(visible_texts):
    models = ["a_model", "b_model", "c_model"]
    frame = pd.DataFrame(
        [
            (m, k, 10, r, "ok")
            for k in ("clean", "novel")
            for m, r in zip(models, RANKS, strict=True)
        ],
        columns=["model", "kind", "n", RANK, "status"],
    )
    texts, boxes = visible_texts(kind_ranking(frame))
    left = [boxes[i] for i, text in enumerate(texts) if text.endswith("_model")]
    assert len(left) == 6
    first = sorted((box for box in left if box[0] < 300), key=lambda box: box[1])
    assert all(low[3] <= high[1] for low, high in pairwise(first))


def test_missing_models_are_named_once_and_many_are_counted(visible_texts):
    models = [f"m{i}" for i in range(6)]
    frame = pd.DataFrame([(m, k, 10) for k in ("clean", "novel", "mean") for m in models])
    frame.columns = ["model", "kind", "n"]
    four, two = [1, *[np.nan] * 4, 2.0], [np.nan, 1.0, 2, 3, 4, np.nan]
    for kinds, line in (
        ([two, two, four], "n/a under clean, novel: m0, m5\nn/a under mean: 4 models"),
        ([two, two, two], "n/a under all kinds: m0, m5"),
    ):
        shown = frame.assign(**{RANK: np.concatenate(kinds)})
        shown["status"] = np.where(shown[RANK].isna(), "NaN", "ok")
        texts, _ = visible_texts(kind_ranking(shown))
        assert f"rank by DAR, best on top\n{line}" in texts
