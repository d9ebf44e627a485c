import torch

from robusteval.probes._targets import TARGETS, least_likely, random_class, runner_up
from robusteval.seeds import generator


def test_the_random_class_is_any_but_the_label():
    drawn = [random_class(generator(i), 4, 2) for i in range(400)]
    counts = {c: drawn.count(c) for c in set(drawn)}
    assert sorted(counts) == [0, 1, 3]
    # 133 expected of 400, standard deviation 9.4; four of these.
    assert all(abs(count - 400 / 3) < 38 for count in counts.values())
    assert random_class(generator(1), 2, 0) == 1 and random_class(generator(1), 2, 1) == 0


def test_neither_end_is_the_label():
    logits = torch.tensor([3.0, -1.0, 5.0, 0.0])
    assert [runner_up(logits, y) for y in range(4)] == [2, 2, 0, 2]
    assert [least_likely(logits, y) for y in range(4)] == [1, 3, 1, 1]
    assert TARGETS == ("random", "least_likely", "runner_up")
