"""Whole numbers from new and legacy generators."""

import numpy as np
import pytest

from robusteval.corruptions._draws import integers


def test_a_random_state_gives_its_own_stream_in_one_call_or_many():
    source = np.random.RandomState(3)
    one_by_one = [source.randint(-2, 2, size=2) for _ in range(50)]
    assert np.array_equal(integers(np.random.RandomState(3), -2, 2, (50, 2)), one_by_one)


@pytest.mark.parametrize("source", [np.random.default_rng(0), np.random.RandomState(0)])
def test_the_upper_end_is_left_out(source):
    drawn = integers(source, -1, 2, (1000,))
    assert set(drawn.tolist()) == {-1, 0, 1}
