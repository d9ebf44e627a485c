"""Zoom blur: the camera moves towards the scene."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from robusteval.corruptions._scratch import Scratch
from robusteval.corruptions._zoom import centre_taps

BAND = 64  # rows worked on at once, within a core's cache


def zoom_blur(
    images: NDArray[np.uint8],
    constant: tuple[float, ...],
    generators: Sequence[np.random.Generator],
) -> NDArray[np.uint8]:
    """Return the mean of ``images`` (N, H, W, C) and their enlarged centres; draws nothing.

    ``constant`` holds the factors of the enlargements, which are linear between the pixels.

    Source: Hendrycks and Dietterich, arXiv:1903.12261; hendrycks/robustness.
    """
    height, width, channels = images.shape[1:]
    lanes = 4 if channels == 3 else channels  # pixels of 16 bytes are moved in one piece
    enlargements = [_Enlargement(height, width, lanes, f) for f in constant if f != 1.0]
    corrupted = np.empty_like(images, order="C")
    scratch = Scratch()
    x = np.zeros((height, width, lanes), np.float32)
    for image, out in zip(images, corrupted, strict=True):
        for channel in range(channels):  # loops over a last axis of 3 are several times slower
            np.divide(image[..., channel], np.float32(255), out=x[..., channel])
        steps = scratch.array("steps", (height - 1, *x.shape[1:]), np.float32)
        np.subtract(x[1:], x[:-1], out=steps)
        for top in range(0, height, BAND):
            band = slice(top, min(top + BAND, height))
            total = scratch.array("total", x[band].shape, np.float32)
            # The first enlargement is by 1; the image itself comes last once more, as published.
            np.copyto(total, x[band] if 1.0 in constant else np.float32(0))
            for enlargement in enlargements:
                total += enlargement(x, steps, band, scratch)
            total += x[band]
            total /= np.float32(len(constant) + 1)
            np.clip(total, 0.0, 1.0, out=total)
            total *= np.float32(255)
            for channel in range(channels):
                out[band, :, channel] = total[..., channel]
    return corrupted


class _Enlargement:
    """The centre of an image enlarged by ``factor`` to the whole image's size."""

    def __init__(self, height: int, width: int, lanes: int, factor: float) -> None:
        self.row, row_share = centre_taps(height, factor)
        self.row_share = row_share.astype(np.float32)[:, np.newaxis]
        self.column, column_share = centre_taps(width, factor)
        self.column_share = column_share.astype(np.float32).repeat(lanes)

    def __call__(
        self,
        x: NDArray[np.float32],
        steps: NDArray[np.float32],
        band: slice,
        scratch: Scratch,
    ) -> NDArray[np.float32]:
        """Return the rows ``band`` of ``x`` (H, W, lanes) enlarged, in scratch memory.

        ``steps`` are the differences between rows. Steps are weighted, not their two ends: so what
        lies between equal values is equal to the bit.
        """
        row = self.row[band]
        shape = (len(row), *x.shape[1:])
        lines = (len(row), -1)
        rows, start, way = (scratch.array(name, shape, np.float32) for name in ("r", "s", "w"))
        # All indices lie inside; "clip" is just the fastest.
        x.take(row, axis=0, out=rows, mode="clip")
        steps.take(row, axis=0, out=way, mode="clip")
        way.reshape(lines)[:] *= self.row_share[band]
        rows += way
        rows.take(self.column, axis=1, out=start, mode="clip")
        rows.take(self.column + 1, axis=1, out=way, mode="clip")
        way -= start
        way.reshape(lines)[:] *= self.column_share
        start += way
        return start
