import pytest
import torch

from robusteval.generators._adapter import fitted, reshaped
from robusteval.generators._generator import Generator

SIZE, COLOUR = (8, 8, 1), (12, 10, 3)


class Plain(Generator):
    """Latents are the images; remembers the shapes that it is shown."""

    def __init__(self):
        super().__init__()
        self.shapes = []

    def encode(self, images):
        self.shapes.append(images.shape[1:])
        return images

    def decode(self, latents):
        return latents


def test_no_adapter_where_none_is_needed():
    generator = Plain()
    assert fitted(generator, SIZE, list(SIZE)) is generator


@pytest.mark.parametrize(("own", "wanted"), [(SIZE, COLOUR), (COLOUR, SIZE)])
def test_the_generator_sees_its_shape_and_the_model_the_other(own, wanted):
    generator = Plain()
    adapted = fitted(generator, own, wanted, adapter="bilinear")
    height, width, channels = wanted
    images = torch.rand(2, channels, height, width)
    latents = adapted.encode(images).requires_grad_()
    assert generator.shapes == [torch.Size([own[2], *own[:2]])]
    decoded = adapted.decode(latents)
    assert decoded.shape == images.shape
    decoded.sum().backward()
    assert latents.grad.abs().max() > 0
    assert torch.equal(adapted.quantised(latents), latents)


def test_constant_images_survive_and_grey_is_the_mean():
    images = torch.tensor([0.1, 0.2, 0.6]).view(1, 3, 1, 1).expand(1, 3, 8, 8)
    grey = reshaped(images, (5, 6, 1))
    # Weights of the interpolation sum to 1 up to float32.
    torch.testing.assert_close(grey, torch.full((1, 1, 5, 6), 0.3), atol=1e-6, rtol=0)
    torch.testing.assert_close(reshaped(grey, COLOUR), torch.full((1, 3, 12, 10), 0.3))


@pytest.mark.parametrize(
    ("own", "wanted", "adapter", "message"),
    [
        (SIZE, COLOUR, None, "of 8 x 8 x 1 for a model of 12 x 10 x 3: give it an adapter"),
        (SIZE, COLOUR, "nearest", "adapter 'nearest': one of bilinear expected"),
        ((8, 8, 4), COLOUR, "bilinear", "no adapter of such channels"),
    ],
)
def test_other_shapes_are_errors(own, wanted, adapter, message):
    with pytest.raises(ValueError, match=message):
        fitted(Plain(), own, wanted, adapter=adapter)
