import numpy as np
import pytest

from robusteval.figures.adversarial_examples import adversarial_examples, amplification


def test_rows_are_clean_then_image_and_change_of_each_attack(small):
    clean, attacks = small.adversarial_examples()
    figure = adversarial_examples(clean, attacks)
    labels = [text.get_text() for text in figure.texts]
    assert labels[0] == "clean"
    assert labels[1::2] == list(attacks)
    assert all(label.startswith("change") for label in labels[2::2])
    shown = np.array([axes.images[0].get_array() for axes in figure.axes])
    shown = shown.reshape(7, *clean.shape)
    np.testing.assert_array_equal(shown[0], clean)
    for row, images in zip(shown[1::2], attacks.values(), strict=True):
        np.testing.assert_array_equal(row, images)


def test_change_is_amplified_by_the_factor_that_is_stated(small):
    clean, attacks = small.adversarial_examples()
    figure = adversarial_examples(clean, attacks)
    labels = [text.get_text() for text in figure.texts]
    for row, name in zip((2, 4, 6), attacks, strict=True):
        factor = int(labels[row].split()[-1])
        shown = np.array([axes.images[0].get_array() for axes in figure.axes[5 * row :][:5]])
        expected = np.clip(0.5 + factor * (attacks[name] - clean), 0, 1)
        np.testing.assert_array_equal(shown, expected)


@pytest.mark.parametrize(
    ("size", "factor"), [(8 / 255, 10), (0.003, 100), (0.3, 1), (0.9, 1), (1e-6, 1000)]
)
def test_factor_is_the_largest_that_fits(size, factor):
    assert amplification(np.array([size, -size, 0.0])) == factor


def test_no_change_has_factor_one():
    assert amplification(np.zeros((1, 4, 4, 3))) == 1


def test_shapes_differ(small):
    clean, attacks = small.adversarial_examples()
    with pytest.raises(ValueError, match=r"pgd_linf: shape .* expected \(4, 32, 32, 3\)"):
        adversarial_examples(clean[:4], attacks)


def test_bytes_are_not_a_pixel_scale_of_0_to_1(small):
    clean, _ = small.adversarial_examples()
    with pytest.raises(ValueError, match="uint8, expected float"):
        adversarial_examples((255 * clean).astype(np.uint8), {"pgd": clean})


def test_no_attack(small):
    with pytest.raises(ValueError, match="at least one"):
        adversarial_examples(small.adversarial_examples()[0], {})
