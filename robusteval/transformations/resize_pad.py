"""Random resizing and padding: an image shrunk or widened, somewhere on a black canvas."""

import torch
import torch.nn.functional as F
from torch import Tensor

NUMBERS = 3  # of each image: size, place from above, place from the left


def resize_pad(
    images: Tensor, numbers: Tensor, *, smallest: float = 1.0, largest: float = 331 / 299
) -> Tensor:
    """Return ``images`` (N, C, H, W) resized at random and padded with 0 to one size.

    The canvas is ``largest`` times the image, rounded up to whole pixels, so that with 1 the
    network sees images of the size that it knows. Each image gets a height from ``smallest`` times
    its own to the canvas, all as likely, the width that belongs to it, and a place. It is resized
    bilinearly; gradients go through as it is.

    Args:
        numbers: (N, 3) in [0, 1).

    Raises:
        ValueError: a factor is not possible.

    Source: Xie, Wang, Zhang, Ren, Yuille, "Mitigating adversarial effects through randomization",
        ICLR 2018, arXiv 1711.01991: from 299 to 331 pixels, which are the defaults as factors.
    """
    if not 0 < smallest <= largest or (smallest == largest == 1):
        raise ValueError(
            f"smallest {smallest}, largest {largest}: more than 0, and largest at least as much "
            "expected, both 1 would change nothing"
        )
    height, width = images.shape[2:]
    canvas = tuple(_up(side * largest) for side in (height, width))
    least = max(1, min(round(height * smallest), canvas[0]))
    placed = []
    for image, own in zip(images, numbers.tolist(), strict=True):
        tall = least + _whole(own[0], canvas[0] - least + 1)
        wide = max(1, min(canvas[1], round(tall * width / height)))
        resized = F.interpolate(image[None], (tall, wide), mode="bilinear", align_corners=False)
        above = _whole(own[1], canvas[0] - tall + 1)
        left = _whole(own[2], canvas[1] - wide + 1)
        around = (left, canvas[1] - wide - left, above, canvas[0] - tall - above)
        placed.append(F.pad(resized[0], around))
    return torch.stack(placed)


def _up(side: float) -> int:
    """Return the next whole number, but for what float64 adds."""
    return -int(-(side - 1e-9) // 1)


def _whole(number: float, count: int) -> int:
    """Return a whole number from 0 to ``count`` - 1 for one in [0, 1)."""
    return min(int(number * count), count - 1)
