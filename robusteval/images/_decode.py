"""Encoded images as RGB pixels, the way people expect to see them.

Colour profiles are ignored, as in the published numbers of ImageNet.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFile, UnidentifiedImageError

from robusteval.images._listing import Content

# Others would start foreign programs (EPS) or are no photographs. JPEG includes MPO, of phones.
FORMATS = ("JPEG", "JPEG2000", "PNG", "GIF", "BMP", "WEBP", "TIFF", "PPM")
LIMIT = 89_478_485  # pixels; PIL warns of more, since a small file can decode to fill the memory
ORIENTATIONS = ("apply", "ignore")
_ORIENTATION = 0x0112  # EXIF tag
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


@dataclass(frozen=True)
class Picture:
    """Pixels (H, W, C) uint8 and the mode that they were stored in, in PIL's words."""

    pixels: NDArray[np.uint8]
    mode: str


def picture_of(content: Content, name: str, *, orientation: str = "apply") -> Picture:
    """Return the picture in ``content``; encoded ones become RGB, arrays stay as they are.

    Transparent pixels are laid over white, 16-bit grey is scaled, CMYK is converted as JPEG viewers
    do without a profile. ``orientation`` says whether the EXIF tag turns the picture ("apply"), as
    viewers do, or not ("ignore"), as in the published numbers of ImageNet. TIFF files are turned in
    any case, by PIL itself.

    Raises:
        ValueError: not a whole picture; the message names the file and the cause.
    """
    if orientation not in ORIENTATIONS:
        raise ValueError(f"orientation: {orientation!r}: one of {', '.join(ORIENTATIONS)} expected")
    if not isinstance(content, bytes):
        return Picture(content, {1: "L", 3: "RGB"}[content.shape[2]])
    try:
        with _strict():
            return _decoded(content, orientation)
    except UnidentifiedImageError:
        head = content[:12].decode("latin-1")
        cause = f"no picture format begins with {head!r}" if content else "an empty file"
        raise ValueError(f"{name}: cannot be read as an image: {cause}") from None
    except Exception as error:  # PIL's decoders answer damage with errors of any kind
        raise ValueError(f"{name}: cannot be read as an image: {error or repr(error)}") from error


def _decoded(content: bytes, orientation: str) -> Picture:
    with Image.open(BytesIO(content), formats=FORMATS) as image:
        if (pixels := image.width * image.height) > LIMIT:
            raise ValueError(f"{pixels:,} pixels, at most {LIMIT:,} expected")
        mode = image.mode
        image.load()
        turn = _TURNS.get(_exif(image)) if orientation == "apply" else None
        rgb = _rgb(image)
        return Picture(np.asarray(rgb if turn is None else rgb.transpose(turn)), mode)


def _rgb(image: Image.Image) -> Image.Image:
    if image.mode in ("I", "F") or image.mode.startswith("I;16"):
        return _from_grey(np.asarray(image), image.mode)
    if image.mode in ("RGBA", "LA", "PA", "RGBa", "La") or "transparency" in image.info:
        image = image.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")
    return image.convert("RGB")


def _from_grey(levels: NDArray[np.generic], mode: str) -> Image.Image:
    """Return 16-bit grey as RGB; 65535 is white."""
    low, high = levels.min(), levels.max()
    if mode == "F" or low < 0 or high > 65535:
        raise ValueError(f"grey values from {low} to {high} (mode {mode}), 0 to 65535 expected")
    grey = np.rint(levels.astype(np.float64) / 257).astype(np.uint8)
    return Image.fromarray(grey).convert("RGB")


def _exif(image: Image.Image) -> int:
    """Return the EXIF orientation, 1 (upright) where there is none or it is damaged."""
    try:
        return int(image.getexif().get(_ORIENTATION, 1))
    except Exception:  # of a damaged tag; the pixels are whole, and viewers show them as stored
        return 1


@contextmanager
def _strict() -> Iterator[None]:
    """Decode without mercy for damage, whatever another library has set, and without warnings."""
    lenient = ImageFile.LOAD_TRUNCATED_IMAGES
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        ImageFile.LOAD_TRUNCATED_IMAGES = lenient
