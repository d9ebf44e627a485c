"""Whether the images are pictures on the scale 0 to 255 that models expect."""

import numpy as np

from robusteval.checks._finding import Finding
from robusteval.checks._subject import Subject

COUNT = 64  # images; more do not change a mean of a million pixels
DARK, BRIGHT = 0.05, 0.95  # MNIST, the darkest of the common sets, has a mean of 0.13
NARROW = 64  # grey values of 256 that even a set of low contrast spans
END = 3  # grey values at either end; a normalised image lies in -3 to 3, which wraps to 253 to 3

WHY = "A model sees other numbers than in training if images are not bytes from 0 to 255."


def pixel_range(subject: Subject) -> Finding:
    """Return whether the first 64 images span the scale and are neither black nor white.

    Wrong if all pixels are equal or at most 1 of 255 (scaled to 0 to 1 before they became bytes);
    to be looked at if the mean is outside 0.05 to 0.95, fewer than 64 grey values are spanned, only
    two values occur, or 99% of pixels lie within 3 of either end, as normalised images cast to
    bytes do.
    """
    images = subject.images[:COUNT]
    low, high, mean = int(images.min()), int(images.max()), float(images.mean()) / 255
    values = int(np.count_nonzero(np.bincount(images.reshape(-1), minlength=256)))
    ends = float(np.mean((images <= END) | (images > 255 - END)))
    found = f"Pixels of {len(images)} images run from {low} to {high} of 255, mean {mean:.3f}"
    if low == high:
        return Finding("pixel_range", "wrong", f"{found}: all are equal.", WHY)
    if high <= 1:
        return Finding("pixel_range", "wrong", f"{found}: scaled to 0 to 1 as bytes.", WHY)
    odd = {
        f"only {values} values occur": values <= 2,
        f"{ends:.1%} lie at the ends, as normalised images cast to bytes do": values > 2
        and ends > 0.99
        and DARK < mean < BRIGHT,
        "nearly black": mean <= DARK,
        "nearly white": mean >= BRIGHT,
        f"only {high - low + 1} grey values are spanned": high - low < NARROW,
    }
    reasons = ", ".join(text for text, holds in odd.items() if holds)
    if reasons:
        return Finding("pixel_range", "look", f"{found}: {reasons}.", WHY)
    return Finding("pixel_range", "ok", f"{found}.", WHY)
