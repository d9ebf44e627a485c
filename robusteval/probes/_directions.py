"""Random directions at right angles to each other, the same for every image and model."""

from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from robusteval.seeds import generator


@lru_cache(maxsize=1)  # a factorisation for all images of a job; 4 * count * size bytes
def directions(count: int, size: int, seed: int) -> Tensor:
    """Return ``count`` orthogonal vectors (count, size), float32, of length sqrt(size).

    A move of one unit along one changes an image of ``size`` values by a root mean square of 1.
    Only ``size`` of them exist: a larger ``count`` gives ``size``. Fewer are the first of more, up
    to rounding. They are the orthogonal factor of a matrix of normal numbers, with the signs that
    make them uniform.
    """
    count = min(count, size)
    normal = generator("orthogonal directions", size, seed).standard_normal(
        (count, size), dtype=np.float32
    )
    q, r = torch.linalg.qr(torch.from_numpy(normal).T)
    signs = torch.where(r.diagonal() < 0, -1.0, 1.0)
    rows: Tensor = (q * signs * size**0.5).T.contiguous()
    return rows
