"""Random points around an image, in the balls from which gradients are sampled."""

from collections.abc import Iterator

import torch
from torch import Tensor

BALLS = ("l1", "l2", "linf")
BLOCK = 64  # points drawn at a time, however many a pass takes, so that the stream is one
RELEASED_RADIUS = {"l1": 30.0, "l2": 3.0, "linf": 0.1}


def blocks(
    image: Tensor,
    source: torch.Generator,
    count: int,
    *,
    ball: str,
    radius: float,
    shrunk: bool,
) -> Iterator[Tensor]:
    """Yield ``count`` points around ``image`` (C, H, W), in blocks (n, C, H, W) of up to 64.

    Points are cut to [0, 1] and lie on the device of ``image`` and ``source``. See `offsets`.
    """
    for start in range(0, count, BLOCK):
        moves = offsets(BLOCK, image.numel(), source, ball=ball, radius=radius, shrunk=shrunk)
        points = (image + moves.view(BLOCK, *image.shape)).clamp(0, 1)
        yield points[: count - start]


def offsets(
    count: int, size: int, source: torch.Generator, *, ball: str, radius: float, shrunk: bool
) -> Tensor:
    """Return ``count`` random vectors (count, size), float32, at most ``radius`` long in ``ball``.

    l2 and linf are uniform in the ball. With ``shrunk`` the length of an l2 vector is multiplied by
    one more number, uniform in [0, 1], as the released code of CLEVER does. An l1 vector is uniform
    on the sphere times a length that is ``radius`` times a number u uniform in [0, 1] (shrunk, the
    released code) or its root (ART): neither is uniform in the ball.
    """
    device = source.device

    def uniform(*shape: int) -> Tensor:
        return torch.rand(*shape, generator=source, device=device)

    if ball == "linf":
        return (2 * uniform(count, size) - 1) * radius
    if ball == "l2":
        direction = torch.randn(count, size, generator=source, device=device)
        length = uniform(count, 1) ** (1 / size)
        length = length * uniform(count, 1) if shrunk else length
        norm: Tensor = torch.linalg.vector_norm(direction, dim=1, keepdim=True)
        return direction * (radius * length / norm)
    assert ball == "l1", ball
    # Independent exponentials over their sum are uniform on the simplex.
    share = torch.empty(count, size, device=device).exponential_(generator=source)
    sign = torch.where(uniform(count, size) < 0.5, -1.0, 1.0)
    length = uniform(count, 1) if shrunk else uniform(count, 1).sqrt()
    return sign * share * (radius * length / share.sum(1, keepdim=True))
