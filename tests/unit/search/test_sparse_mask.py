import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from robusteval.search.sparse_mask import sparse_mask


def pairs(count=100, dimensions=20, moved=(3, 7)):
    """Latents of independent noise; dimensions 3 and 7 of the second kind are 3 sd higher."""
    rng = np.random.default_rng(0)
    original = rng.normal(size=(count, dimensions, 1, 1))
    searched = original.copy()
    searched[:, list(moved)] += 3
    return torch.from_numpy(original).float(), torch.from_numpy(searched).float()


def test_the_dimensions_that_moved_are_found():
    sparse = sparse_mask(*pairs())
    assert torch.nonzero(sparse.mask.flatten()).flatten().tolist() == [3, 7]
    assert sparse.kept == 0.1 and sparse.pairs == 100
    assert sparse.accuracy > 0.95  # two dimensions, 3 sd each: 2% of errors
    assert (sparse.weights.flatten()[[3, 7]] > 0).all()


def test_weights_minimise_the_published_objective():
    """Against another solver, with the intercept that both let go free of the classes' balance."""
    original, searched = pairs(60)
    sparse = sparse_mask(original, searched, C=0.5)
    both = torch.cat([original, searched]).flatten(1).double().numpy()
    scaled = (both - both.mean(0)) / both.std(0)
    other = LogisticRegression(l1_ratio=1, solver="saga", C=0.5, tol=1e-8, max_iter=20_000)
    other.fit(scaled, np.repeat([0, 1], 60))
    # liblinear stops at a tolerance of 1e-4 and penalises the intercept, here 0.
    assert sparse.weights.flatten() == pytest.approx(other.coef_[0], abs=5e-3)


def test_a_smaller_c_keeps_fewer():
    kept = [sparse_mask(*pairs(), C=C).kept for C in (0.02, 10.0)]
    assert kept[0] < kept[1]


def test_a_scale_of_a_dimension_changes_nothing():
    """Powers of 2, which float64 scales exactly."""
    original, searched = pairs()
    factor = 2.0 ** torch.arange(-10, 10).view(20, 1, 1)
    plain, scaled = (
        sparse_mask(original, searched),
        sparse_mask(factor * original, factor * searched),
    )
    assert torch.equal(plain.mask, scaled.mask)
    assert np.array_equal(plain.weights, scaled.weights)


def test_a_dimension_that_never_changes_is_left_out():
    original, searched = pairs()
    original[:, 5] = searched[:, 5] = 1.0
    assert not sparse_mask(original, searched, C=10.0).mask[5]


def test_the_same_seed_gives_the_same_mask():
    first, second = (sparse_mask(*pairs(), C=0.3, seed=4) for _ in range(2))
    assert np.array_equal(first.weights, second.weights)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda a, b: (a, b[:3], {}), "expected one shape"),
        (lambda a, b: (a[:1], b[:1], {}), "N at least 2"),
        (lambda a, b: (a, b * torch.inf, {}), "NaN or infinite"),
        (lambda a, b: (a, b, {"C": 0.0}), "C 0.0: expected more than 0"),
        (lambda a, b: (a, a, {}), "C 0.02 keeps none of 20 dimensions"),
    ],
)
def test_nothing_to_learn_from(change, message):
    original, searched, options = change(*pairs())
    with pytest.raises(ValueError, match=message):
        sparse_mask(original, searched, **options)
