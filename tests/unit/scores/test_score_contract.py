"""What holds for every rejection score, found by its file."""

import numpy as np
import pytest

from robusteval import plugins

every_score = pytest.mark.parametrize("name", plugins.names("scores"))


def logits(n=64, classes=10, dtype=np.float32):
    return (5 * np.random.default_rng(0).standard_normal((n, classes))).astype(dtype)


@every_score
@pytest.mark.parametrize("classes", [2, 10, 1000])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_one_finite_float64_an_image(name, classes, dtype):
    got = plugins.load("scores", name)(logits(classes=classes, dtype=dtype))
    assert got.shape == (64,)
    assert got.dtype == np.float64
    assert np.isfinite(got).all()


@every_score
def test_does_not_depend_on_the_other_images(name):
    score, z = plugins.load("scores", name), logits()
    alone = np.concatenate([score(z[i : i + 1]) for i in range(len(z))])
    assert score(z).tolist() == alone.tolist()
    assert score(z[::-1]).tolist() == alone[::-1].tolist()


@every_score
def test_leaves_its_input_alone(name):
    z = logits(dtype=np.float64)
    before = z.copy()
    plugins.load("scores", name)(z)
    np.testing.assert_array_equal(z, before)


@every_score
def test_is_larger_where_the_model_is_more_certain(name):
    score = plugins.load("scores", name)
    z = np.zeros((9, 10))
    z[:, 3] = np.arange(9)  # one class ever further ahead of the others
    assert (np.diff(score(z)) > 0).all()


@every_score
@pytest.mark.parametrize("shape", [(10,), (0, 10), (5, 1), (5, 10, 2)])
def test_wrong_shape(name, shape):
    with pytest.raises(ValueError, match="expected"):
        plugins.load("scores", name)(np.zeros(shape))


@every_score
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_broken_logits(name, value):
    z = logits()
    z[5, 2] = value
    with pytest.raises(ValueError, match="NaN or infinity"):
        plugins.load("scores", name)(z)
