import numpy as np
import pytest

from robusteval.figures.examples import examples


def test_one_row_a_kind_with_its_images(small):
    kinds = small.examples()
    figure = examples(kinds)
    shown = [axes.images[0].get_array() for axes in figure.axes if axes.images]
    expected = [image.squeeze() for images in kinds.values() for image in images]
    assert len(shown) == len(expected) == 8 + 7 + 6 + 5 + 4
    for got, want in zip(shown, expected, strict=True):
        np.testing.assert_array_equal(got, want)
    assert [text.get_text() for text in figure.texts] == list(kinds)


def test_grey_images_are_not_stretched():
    dim = np.full((1, 28, 28, 1), 100, np.uint8)
    dim[0, 0, 0] = 120
    (axes,) = examples({"clean": dim}).axes
    assert axes.images[0].get_clim() == (0, 255)


def test_images_are_square_on_the_page(small):
    for axes in examples(small.examples()).axes:
        box = axes.get_window_extent()
        assert box.width == pytest.approx(box.height, rel=1e-9)  # the same inches, divided back


@pytest.mark.parametrize(
    "images",
    [np.zeros((2, 8, 8), np.uint8), np.zeros((2, 8, 8, 3)), np.zeros((0, 8, 8, 3), np.uint8)],
)
def test_wrong_images(images):
    with pytest.raises(ValueError, match=r"novel: .* expected uint8"):
        examples({"novel": images})


def test_no_kind():
    with pytest.raises(ValueError, match="at least one"):
        examples({})
