"""A generator of one geometry for a model of another: an adapter that is asked for by name."""

from collections.abc import Sequence

from torch import Tensor
from torch.nn import functional as F

from robusteval.generators._generator import Generator

Shape = Sequence[int]  # (H, W, C)
ADAPTERS = ("bilinear",)


def fitted(
    generator: Generator, own: Shape, wanted: Shape, *, adapter: str | None = None
) -> Generator:
    """Return ``generator``, of images of shape ``own``, for images of shape ``wanted`` (H, W, C).

    The adapter "bilinear" resizes images to the generator's size and back, shows it grey images in
    three equal channels, and takes the mean of its channels for a model of grey images. What that
    costs is part of the round trip.

    Raises:
        ValueError: the shapes differ and no adapter is named, it is unknown, or the channels are
            neither equal nor 1 and 3.
    """
    if tuple(own) == tuple(wanted):
        return generator
    ours, theirs = (" x ".join(map(str, shape)) for shape in (own, wanted))
    if adapter is None:
        raise ValueError(
            f"a generator of images of {ours} for a model of {theirs}: give it an adapter, one of "
            f"{', '.join(ADAPTERS)}, or train one of that size"
        )
    if adapter not in ADAPTERS:
        raise ValueError(f"adapter {adapter!r}: one of {', '.join(ADAPTERS)} expected")
    if own[2] != wanted[2] and {own[2], wanted[2]} != {1, 3}:
        raise ValueError(f"images of {ours} for a model of {theirs}: no adapter of such channels")
    return _Bilinear(generator, own, wanted)


class _Bilinear(Generator):
    def __init__(self, generator: Generator, own: Shape, wanted: Shape) -> None:
        super().__init__()
        self.generator, self.own, self.wanted = generator, own, wanted

    def encode(self, images: Tensor) -> Tensor:
        return self.generator.encode(reshaped(images, self.own))

    def decode(self, latents: Tensor) -> Tensor:
        return reshaped(self.generator.decode(latents), self.wanted)

    def quantised(self, latents: Tensor) -> Tensor:
        return self.generator.quantised(latents)


def reshaped(images: Tensor, shape: Shape) -> Tensor:
    """Return ``images`` (N, C, H, W) in another ``shape`` (H, W, C), C being 1 or 3 or as before.

    Bilinear; smoothed first where an image gets smaller.
    """
    height, width, channels = shape
    if images.shape[1] != channels:
        images = images.mean(1, keepdim=True) if channels == 1 else images.expand(-1, 3, -1, -1)
    if images.shape[2:] != (height, width):
        images = F.interpolate(images, (height, width), mode="bilinear", antialias=True)
    return images.clamp(0, 1)
