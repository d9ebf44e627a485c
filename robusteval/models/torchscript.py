"""A network as a TorchScript program, which needs no code of its author."""

import warnings
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from robusteval.models._programs import check_trusted


class Program(nn.Module):
    """A loaded program, run as it is written each time."""

    def __init__(self, program: nn.Module) -> None:
        super().__init__()
        self.program = program

    def forward(self, images: Tensor) -> Tensor:
        """Return what the program returns for (N, C, H, W)."""
        # Else the first passes are watched and later ones run other kernels, with other bits.
        with torch.jit.optimized_execution(False):  # type: ignore[attr-defined]
            logits: Tensor = self.program(images)
        return logits


def torchscript(*, classes: int, shape: tuple[int, int, int], file: str | Path) -> nn.Module:
    """Return the program in ``file``, weights included; its classes and sizes are its own.

    Raises:
        ValueError: nobody trusts it (`models._programs.trusting`); or the file is not there, or
            holds no TorchScript program.
    """
    check_trusted("torchscript", str(file))
    try:
        load: Any = torch.jit.load
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # new programs should be made otherwise
            program: nn.Module = load(str(file), map_location="cpu")
    except (OSError, RuntimeError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ValueError(f"{file}: no TorchScript program ({reason})") from error
    return Program(program)
