"""Draws that torch has no generator for."""

import numpy as np
import torch


def numpy_generator(rng: torch.Generator) -> np.random.Generator:
    """Return a numpy generator that follows from the state of ``rng`` and moves it on by one draw.

    Beta, Dirichlet and their like draw from torch's global state and accept no generator.
    """
    return np.random.Generator(np.random.Philox(int(torch.randint(2**62, (), generator=rng))))
