"""PixMix (Hendrycks, Zou, Mazeika, Tang, Li, Song, Steinhardt 2022, arXiv 2112.05135)."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from robusteval.training._draws import numpy_generator
from robusteval.training._fractals import fractals
from robusteval.training._operations import chained

DARKEST = 1 / 255  # of a factor: a power below 0 of black has no value


def pixmix(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    rng: torch.Generator,
    done: float,
    severity: float = 3.0,
    rounds: int = 4,
    beta: float = 3.0,
    pictures: int = 32,
) -> Tensor:
    """Return the cross-entropy of images mixed with fractals and with themselves (section 3).

    Half of the images begin with an operation of AugMix. Each then goes through 0 to ``rounds``
    rounds, in which it is added to or multiplied by, with equal chance, a fractal or the original
    after an operation. The paper mixes with downloaded fractals and visualised features; here
    ``pictures`` fractals are made for every batch, and its images draw from them.
    """
    mixed = mixtures(
        images, severity=severity, rounds=rounds, beta=beta, pictures=pictures, rng=rng
    )
    return F.cross_entropy(model(mixed), labels)


def mixtures(
    images: Tensor,
    *,
    severity: float,
    rounds: int,
    beta: float,
    pictures: int,
    rng: torch.Generator,
) -> Tensor:
    """Return ``images`` (N, C, H, W) after their rounds, within 0 to 1."""
    count, (channels, height, width) = len(images), images.shape[1:]
    draws = numpy_generator(rng)
    drawn = fractals(pictures, (channels, height, width), rng=rng).to(images)

    def operated(chance: float) -> Tensor:
        chosen = _coins(count, chance, rng).to(images.device)
        return torch.where(chosen, chained(images, severity=severity, depth=1, rng=rng), images)

    mixed = operated(0.5)
    length = torch.randint(rounds + 1, (count,), generator=rng).view(-1, 1, 1, 1)
    for number in range(rounds):
        picture = drawn[torch.randint(pictures, (count,), generator=rng).to(images.device)]
        partner = torch.where(_coins(count, 0.5, rng).to(images.device), operated(1.0), picture)
        a, b = (
            torch.from_numpy(w).to(images).view(-1, 1, 1, 1) for w in weights(count, beta, draws)
        )
        adds = _coins(count, 0.5, rng).to(images.device)
        result = torch.where(adds, added(mixed, partner, a, b), multiplied(mixed, partner, a, b))
        mixed = torch.where((number < length).to(images.device), result.clamp(0, 1), mixed)
    return mixed


def added(x: Tensor, y: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Return the sum a x + b y, with grey as its zero."""
    return (a * (2 * x - 1) + b * (2 * y - 1) + 1) / 2


def multiplied(x: Tensor, y: Tensor, a: Tensor, b: Tensor) -> Tensor:
    """Return the product x^a y^b, with grey as its one."""
    return (2 * x) ** a * (2 * y.clamp(min=DARKEST)) ** b / 2


def weights(
    count: int, beta: float, draws: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ``count`` weights of images and of partners, the nearer 1 and 0 the larger ``beta``.

    Half of the pairs are Beta(beta, 1) and Beta(1, beta); in the other half the partner is taken
    away: 1 + Beta(1, beta) and -Beta(1, beta).
    """
    near, far, more = (
        draws.beta(beta, 1, count),
        draws.beta(1, beta, count),
        draws.beta(1, beta, count),
    )
    away = draws.random(count) < 0.5
    return np.where(away, 1 + more, near), np.where(away, -far, far)


def _coins(count: int, chance: float, rng: torch.Generator) -> Tensor:
    return (torch.rand(count, generator=rng) < chance).view(-1, 1, 1, 1)
