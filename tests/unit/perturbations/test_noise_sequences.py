import numpy as np
import pytest

from robusteval.perturbations._apply import perturb

IMAGE = np.random.default_rng(3).integers(256, size=(1, 32, 32, 3), dtype=np.uint8)
X = IMAGE[0] / 255.0
# Another way to the same draws: numpy's legacy stream in the published order, frame by frame.
DRAWN = {
    ("gaussian_noise", "imagenet_p"): lambda rs: X + rs.normal(scale=0.03, size=X.shape),
    ("gaussian_noise", "cifar10_p"): lambda rs: X + rs.normal(scale=0.02, size=X.shape),
    ("shot_noise", "imagenet_p"): lambda rs: rs.poisson(X * 300) / 300,
    ("shot_noise", "cifar10_p"): lambda rs: rs.poisson(X * 700) / 700,
    ("speckle_noise", "imagenet_p"): lambda rs: X + X * rs.normal(scale=0.05, size=X.shape),
    ("speckle_noise", "cifar10_p"): lambda rs: X + X * rs.normal(scale=0.05, size=X.shape),
}


@pytest.mark.parametrize(("kind", "family"), DRAWN)
def test_the_image_first_then_a_new_draw_a_frame(kind, family):
    made = perturb(IMAGE, kind, [np.random.RandomState(5)], family=family)[0]
    assert np.array_equal(made[0], IMAGE[0])
    stream = np.random.RandomState(5)
    for frame in made[1:]:
        expected = np.uint8(255 * np.clip(DRAWN[kind, family](stream), 0, 1))
        assert np.array_equal(frame, expected)
