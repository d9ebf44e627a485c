"""A trial of a model on a few images, before anything is measured with it."""

import numpy as np
import torch
from torch import Tensor, nn

from robusteval.seeds import generator

COUNT = 16  # images, the narrowest pass whose bits do not depend on the width
SUM_OFF = 1e-3  # softmax in half precision sums to 1 within this, logits as good as never


def trial(model: nn.Module, shape: tuple[int, int, int], classes: int) -> tuple[Tensor, bool]:
    """Return the logits (16, K) of a black image and 15 of noise, of ``shape`` (H, W, C), and
    whether the model answers the same when it is asked again.

    Raises:
        ValueError: the model fails, is in training mode, or returns anything else than 16 x
            ``classes`` finite logits.
    """
    height, width, channels = shape
    noise = generator("trial").random((COUNT, channels, height, width), dtype=np.float32)
    noise[0] = 0
    images = torch.from_numpy(noise)
    if any(module.training for module in model.modules()):
        raise ValueError("the model stays in training mode after model.eval()")
    try:
        with torch.inference_mode():
            logits, again = model(images), model(images)
    except Exception as error:  # whatever anyone's code may raise
        reason = " ".join(str(error).split())[:200]
        raise ValueError(
            f"the model cannot run on images of {height} x {width} x {channels}: "
            f"{type(error).__name__}: {reason}"
        ) from error
    if not isinstance(logits, Tensor):
        raise ValueError(f"the model returns a {type(logits).__name__}; logits, a tensor, expected")
    if logits.shape != (COUNT, classes):
        raise ValueError(
            f"the model returns a tensor of shape {tuple(logits.shape)} for {COUNT} images; "
            f"({COUNT}, {classes}) expected, as it has {classes} classes"
        )
    if not logits.isfinite().all():
        raise ValueError("the model returns NaN or infinite logits")
    if (logits >= 0).all() and ((logits.sum(1) - 1).abs() < SUM_OFF).all() and classes > 1:
        raise ValueError(
            "the model returns probabilities (each row sums to 1); logits expected: leave out "
            "its softmax"
        )
    return logits, torch.equal(logits, again)
