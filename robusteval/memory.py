"""Passes that do not fit in memory go on at half the width.

On a CPU the widths 16, 32 and 64 agree bit for bit (see `robusteval.batches`), so that a result
does not depend on whether memory was short; on a GPU it may differ by float32 rounding.
"""

import logging
import traceback
from weakref import WeakKeyDictionary

import torch
from torch import nn

log = logging.getLogger(__name__)

SMALLEST = 16  # images a pass; narrower ones round differently
FAILURES = (RuntimeError, MemoryError)  # among these `narrower` tells which are about memory
WORDS = (  # of a RuntimeError that is about memory, in lower case
    "not enough memory",
    "defaultcpuallocator",
    "out of memory",
    "cudnn_status_alloc_failed",
    "cublas_status_alloc_failed",
)
_fitting: WeakKeyDictionary[nn.Module, int] = WeakKeyDictionary()


def fitting(model: nn.Module, width: int) -> int:
    """Return ``width``, or less where passes of ``model`` were already too wide for the memory."""
    return min(width, _fitting.get(model, width))


def narrower(model: nn.Module, width: int, error: BaseException) -> int:
    """Return half of ``width`` after ``error``, a multiple of 16; remembered and logged once.

    Raises:
        BaseException: ``error`` itself, if it is not about memory or the width cannot shrink.
    """
    if not out_of_memory(error):
        raise error
    if width <= SMALLEST:
        log.error("even %d images a pass do not fit in memory", width)
        raise error
    half = max(width // 2 // SMALLEST, 1) * SMALLEST
    log.warning("%d images a pass do not fit in memory: going on with %d", width, half)
    _fitting[model] = half
    traceback.clear_frames(error.__traceback__)  # they still hold what the failed pass had made
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return half


def out_of_memory(error: BaseException) -> bool:
    """Return whether an error of a pass says that memory was short, on whatever device."""
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    return isinstance(error, RuntimeError) and any(word in str(error).lower() for word in WORDS)
