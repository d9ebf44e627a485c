"""Views: how an image of any size becomes one of the size that models take.

The pixels are those of timm's transform for validation (PIL's resampling, then a crop), before
normalisation, which is a layer of the model.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from robusteval.images._decode import LIMIT

AS_STORED = "as_stored"
INTERPOLATIONS = {mode.name.lower(): mode for mode in Image.Resampling}
RESIZES = ("shorter_side", "squash", "border")


@dataclass(frozen=True)
class View:
    """A geometry: resize to ``size / crop_fraction``, then crop ``size`` pixels from the centre.

    ``size`` is the side in pixels, None leaves images as stored. ``resize`` says what is brought to
    the larger size: the shorter side ("shorter_side", timm's crop mode "center"), both sides
    ("squash"), or the longer one with a border of the colour ``fill`` around ("border"). Where the
    crop is larger than the image, black is added, in "border" ``fill`` is. ``trim`` pixels are
    taken off each edge before all else, such as the red frame of ObjectNet. ``channels`` makes
    images grey (1: the luma of ITU-R 601) or RGB (3: grey three times); None leaves them.
    """

    size: int | None = None
    crop_fraction: float = 0.875
    interpolation: str = "bicubic"
    resize: str = "shorter_side"
    fill: tuple[int, int, int] = (124, 116, 104)  # the mean of ImageNet, as timm has it
    trim: int = 0
    channels: int | None = None

    def __post_init__(self) -> None:
        if self.size is not None and not (isinstance(self.size, int) and self.size > 0):
            raise ValueError(f"view: size: {self.size!r}: a number of pixels expected")
        if not self.crop_fraction > 0:
            raise ValueError(f"view: crop_fraction: {self.crop_fraction!r}: more than 0 expected")
        if not (isinstance(self.trim, int) and self.trim >= 0):
            raise ValueError(f"view: trim: {self.trim!r}: a number of pixels expected")
        if self.channels not in (None, 1, 3):
            raise ValueError(f"view: channels: {self.channels!r}: 1 (grey) or 3 (RGB) expected")
        for key, allowed in (("interpolation", tuple(INTERPOLATIONS)), ("resize", RESIZES)):
            if (value := getattr(self, key)) not in allowed:
                raise ValueError(f"view: {key}: {value!r}: one of {', '.join(allowed)} expected")


def view_of(entry: str | Mapping[str, Any]) -> View:
    """Return the view that a catalogue describes: "as_stored", or a mapping of its fields.

    An empty mapping is the view as stored, too.
    """
    if entry == AS_STORED or not entry:
        return View()
    known = [field.name for field in fields(View)]
    if isinstance(entry, str) or set(entry) - set(known) or "size" not in entry:
        raise ValueError(
            f"view: {entry!r}: {AS_STORED}, or a mapping of {', '.join(known)} (size at least) "
            f"expected"
        )
    settings: dict[str, Any] = dict(entry)
    if "fill" in settings:
        settings["fill"] = tuple(settings["fill"])
    return View(**settings)


def viewed(picture: NDArray[np.uint8], view: View) -> NDArray[np.uint8]:
    """Return ``picture`` (H, W, C) uint8 in a view: (size, size, C) uint8.

    Where the view makes it grey, that comes before the resizing.

    Raises:
        ValueError: the picture is too narrow to be resized or trimmed.
    """
    assert picture.dtype == np.uint8 and picture.ndim == 3, (picture.dtype, picture.shape)
    if view.trim:
        if min(picture.shape[:2]) <= 2 * view.trim:
            raise ValueError(
                f"{picture.shape[:2]} pixels: no room to trim {view.trim} off each edge"
            )
        picture = picture[view.trim : -view.trim, view.trim : -view.trim]
    if view.size is None:
        return picture
    image = Image.fromarray(
        np.ascontiguousarray(picture[..., 0] if picture.shape[2] == 1 else picture)
    )
    if view.channels is not None:
        image = image.convert("L" if view.channels == 1 else "RGB")
    width, height = _resized(image.width, image.height, view)
    if not (width > 0 and height > 0 and width * height <= LIMIT):
        raise ValueError(
            f"{image.width} x {image.height} pixels are too narrow: {width} x {height} when "
            f"resized ({view.resize})"
        )
    image = image.resize((width, height), INTERPOLATIONS[view.interpolation])
    pixels = np.asarray(_centre(image, view.size, view.fill if view.resize == "border" else None))
    return pixels if pixels.ndim == 3 else pixels[..., np.newaxis]


def _resized(width: int, height: int, view: View) -> tuple[int, int]:
    """Return the width and height before the crop."""
    assert view.size is not None
    side = math.floor(view.size / view.crop_fraction)
    if view.resize == "squash":
        return side, side
    if view.resize == "border":
        ratio = max(width / side, height / side)
        return round(width / ratio), round(height / ratio)
    longer = int(side * max(width, height) / min(width, height))
    return (side, longer) if width <= height else (longer, side)


def _centre(image: Image.Image, size: int, fill: tuple[int, int, int] | None) -> Image.Image:
    """Return the central square of ``size`` pixels, with ``fill`` (black) where there is none.

    Of a padding that cannot be halved, the odd pixel goes to the right and below; of a crop the
    odd half is rounded to even.
    """
    left = (size - image.width) // 2 if size > image.width else _half(image.width - size)
    top = (size - image.height) // 2 if size > image.height else _half(image.height - size)
    if size <= image.width and size <= image.height:
        return image.crop((left, top, left + size, top + size))
    colour = fill or (0, 0, 0)
    grey = round(sum(colour) / 3)
    canvas = Image.new(image.mode, (size, size), colour if image.mode == "RGB" else grey)
    # A side that is long enough is cropped: it begins outside of the canvas.
    place = (left if size > image.width else -left, top if size > image.height else -top)
    canvas.paste(image, place)
    return canvas


def _half(difference: int) -> int:
    return round(difference / 2)
