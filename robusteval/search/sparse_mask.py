"""The sparse submodel: the few latent dimensions that tell searched images from their originals."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


@dataclass(frozen=True)
class Sparse:
    """The dimensions that a later search may move.

    ``mask`` (D, h, w), bool; ``weights`` (D, h, w), float64, of the standardised latents; ``kept``
    the share of dimensions in the mask and ``accuracy`` that of the classifier on the latents that
    it was fitted to, both in [0, 1]; ``pairs`` of latents.
    """

    mask: Tensor
    weights: NDArray[np.float64]
    kept: float
    accuracy: float
    pairs: int


def sparse_mask(original: Tensor, searched: Tensor, *, C: float = 0.02, seed: int = 0) -> Sparse:  # noqa: N803
    """Return where an L1-regularised logistic regression of two kinds of latents has weights.

    The kinds are ``original`` (N, D, h, w), latents after the encoder, and ``searched``
    (N, D, h, w), those that the decoder was given for the last accepted images of a search without
    a mask (see `Generator.quantised`). Each dimension is standardised over both; one that never
    changes has no weight. A smaller ``C``, the inverse of the published lambda, keeps fewer.

    Neither lambda nor N is in any source; the default is this project's, from a sweep on a latent
    space of 1,024 dimensions. In a small space a small share disables the search: sweep it.

    Raises:
        ValueError: the shapes differ, there are fewer than two pairs, a latent is not finite, C is
            not positive, or no dimension is kept, which leaves nothing to move.

    Source: Zhang et al., "Foundation model-oriented robustness", ICLR 2024, arXiv 2308.10632; the
        idea is recalled, its settings are in no source.
    """
    if original.shape != searched.shape or original.ndim != 4 or len(original) < 2:
        raise ValueError(
            f"latents of shapes {tuple(original.shape)} and {tuple(searched.shape)}: expected one "
            "shape (N, D, h, w), N at least 2"
        )
    if not C > 0:
        raise ValueError(f"C {C}: expected more than 0")
    pairs = torch.cat([original, searched]).flatten(1).double().cpu().numpy()
    if not np.isfinite(pairs).all():
        raise ValueError("latents that are NaN or infinite: expected numbers")
    spread = pairs.std(0)
    scaled = (pairs - pairs.mean(0)) / np.where(spread > 0, spread, 1)
    kind = np.repeat([0, 1], len(original))
    from sklearn.linear_model import LogisticRegression  # slow: only when used

    # Its order of coordinates is drawn; the intercept, which it penalises too, is near 0 for equal
    # kinds.
    fitted = LogisticRegression(l1_ratio=1.0, solver="liblinear", C=C, random_state=seed)
    fitted.fit(scaled, kind)
    weights = fitted.coef_[0].reshape(original.shape[1:])
    mask = weights != 0
    if not mask.any():
        raise ValueError(
            f"C {C} keeps none of {mask.size} dimensions: give a larger one, or more than "
            f"{len(original)} pairs"
        )
    return Sparse(
        mask=torch.from_numpy(mask),
        weights=weights,
        kept=float(mask.mean()),
        accuracy=float(fitted.score(scaled, kind)),
        pairs=len(original),
    )
