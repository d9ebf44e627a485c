import numpy as np
import pytest

from robusteval.metrics.top5_distance import top5_distance

FIRST = [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("then", "expected"),
    [
        ([1, 2, 3, 4, 5], 0),
        ([2, 1, 3, 4, 5], 2),
        ([1, 2, 3, 4, 6], 1),  # 5 leaves: place 6 instead of 5
        ([6, 1, 2, 3, 4], 5),  # each of the five moves by one
        ([5, 4, 3, 2, 1], 4 + 2 + 0 + 2 + 4),
        ([6, 7, 8, 9, 0], 5 + 4 + 3 + 2 + 1),
    ],
)
def test_by_hand(then, expected):
    assert top5_distance(np.array([[FIRST, then]]), reference="previous") == expected


def test_the_mean_over_frames_and_sequences():
    swapped, gone = [2, 1, 3, 4, 5], [1, 2, 3, 4, 6]
    top = np.array([[FIRST, swapped, swapped], [FIRST, gone, FIRST]])
    # Back again counts too: 6 has place 6 and moves nothing, 5 comes back from beyond.
    assert top5_distance(top, reference="previous") == (2 + 0 + 1 + 1) / 4
    assert top5_distance(top, reference="first") == (2 + 2 + 1 + 0) / 4


def by_definition(before, after):
    """Count the places passed, from the ranks of all classes, as the paper writes it."""
    rank = {c: place for place, c in enumerate(np.argsort(-after, kind="stable"), start=1)}
    total = 0
    for i, c in enumerate(np.argsort(-before, kind="stable")[:5], start=1):
        low, high = sorted((i, rank[c]))
        total += sum(1 <= j - 1 <= 5 for j in range(low + 1, high + 1))
    return total


def test_the_sum_of_the_paper_over_all_ranks():
    logits = np.random.default_rng(0).normal(size=(20, 4, 11))
    top = np.argsort(-logits, axis=2, kind="stable")[..., :5]
    steps = [by_definition(s[t - 1], s[t]) for s in logits for t in range(1, 4)]
    assert top5_distance(top, reference="previous") == np.mean(steps)
    jumps = [by_definition(s[0], s[t]) for s in logits for t in range(1, 4)]
    assert top5_distance(top, reference="first") == np.mean(jumps)


def test_fewer_than_five_classes_are_all_ranked():
    assert top5_distance(np.array([[[0, 1, 2], [1, 2, 0]]]), reference="previous") == 2 + 1 + 1


@pytest.mark.parametrize(
    ("top", "message"),
    [
        (np.zeros((1, 1, 5), int), r"top5 has shape \(1, 1, 5\): expected \(M, T, K\)"),
        (np.array([[range(6)] * 2]), r"\(1, 2, 6\): expected one to five classes"),
        (np.array([[FIRST, [1, 2, 3, 4, 4]]]), "a class twice in a frame"),
    ],
)
def test_what_is_no_top5(top, message):
    with pytest.raises(ValueError, match=message):
        top5_distance(top, reference="first")
