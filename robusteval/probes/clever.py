"""CLEVER: how far an image is from another class, judged from gradients at random points."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

from robusteval.attacks._goal import ANY_OTHER, TARGETS
from robusteval.attacks._inputs import check_inputs
from robusteval.batches import WIDTH, fixed_width
from robusteval.probes._clean import clean_logits
from robusteval.probes._gradients import DUAL, GradientNorms
from robusteval.probes._maxima import METHODS, Sampling
from robusteval.probes._points import BALLS, RELEASED_RADIUS
from robusteval.probes._readings import UNTARGETED, readings
from robusteval.probes._several import several

COLUMNS = ["row", "target", "norm", "class", "score", "margin", "lipschitz"]
COLUMNS += ["shape", "location", "scale", "ks_p", "failed_fits", "prediction"]
COLUMNS += ["forwards", "backwards", "status"]


def clever(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    generators: Sequence[np.random.Generator],
    batch_size: int = WIDTH,
    progress: Callable[[int], None] | None = None,
    norm: str | Sequence[str] = "l2",
    target: str | Sequence[str] = "random",
    sampling: str = "released",
    batches: int = 500,
    samples: int = 1024,
    ball: str | None = None,
    radius: float | None = None,
    pool: int = 10,
) -> pd.DataFrame:
    """Return CLEVER scores of ``images`` (N, C, H, W), a row an image, target and norm.

    The score is (z_label - z_class) / L, an estimate of the smallest move in ``norm`` (pixel scale
    0 to 1) that makes the logit z of the target class the larger one. L is how fast that margin may
    change: the location of a reverse Weibull distribution fitted to the largest dual gradient norms
    of ``batches`` batches of ``samples`` points around the image. It is an estimate, no bound, and
    means nothing for a model that masks its gradients. Larger is better.

    Columns: row, target, norm, class (the target class; for untargeted the nearest one), score,
    margin, lipschitz (L), shape, location, scale and ks_p of the fit (see `_weibull.Fit`),
    failed_fits, prediction, forwards and backwards (of the image as a whole, the same in all its
    rows), and status: "ok"; "fit failed", L is the largest norm seen; "constant", L is, too, as all
    maxima agree; "no gradient", the score is infinite; "gradients not finite", the score is NaN;
    "misclassified", the score is 0 and nothing was sampled.

    All targets share the points and the forward pass, each class takes a backward pass, all norms
    share those. The points do not depend on which targets and norms are asked for. A model on a GPU
    gets them from the GPU's generator: other ones than on a CPU.

    Args:
        model: maps images to logits (N, K), K at least 2; in evaluation mode; decides the device.
        images: float32 in [0, 1].
        labels: (N,), int64.
        generators: one an image.
        batch_size: points a pass.
        progress: called with 1 after each image.
        norm: l1, l2 or linf, or several of them.
        target: random, least_likely, runner_up or untargeted (the smallest score of all other
            classes, which needs a backward pass for each), or several of them.
        sampling: "released", as in the released code: points of their own for every batch, lengths
            shrunk at random, best of seven fits. "art", as in the Adversarial Robustness Toolbox:
            batches drawn from a pool, one fit, score at most ``radius``; one norm at a time.
        ball, radius: where the points are. The released code has an l2 ball of radius 3 for every
            norm, by default, or l1 and 30, linf and 0.1; "art" has the ball of ``norm``, and no
            default radius.
        pool: size of the pool of "art", in batches.

    Raises:
        ValueError: an argument is not usable.
        ModelError: the logits of the images themselves are not N x K finite numbers.

    Source: Weng et al., "Evaluating the robustness of neural networks: an extreme value theory
        approach", ICLR 2018, arXiv 1801.10578, algorithms 1 and 2; 500 and 1,024 of the released
        code, github.com/huanzhang12/CLEVER. That skips images that the model gets wrong, draws the
        random class from those that are neither label, runner-up nor least likely, and does not
        hold the score to the radius, within which alone the gradients were seen.
    """
    norms, targets = (
        several(norm, DUAL, "norm"),
        several(target, (*TARGETS, UNTARGETED), "target"),
    )
    how = _sampling(norms, sampling, batches, samples, ball, radius, pool)
    check_inputs(model, images, labels, generators, ANY_OTHER)
    if generators is None:
        raise ValueError("CLEVER draws points: generators needed, one an image")
    device = next(chain(model.parameters(), model.buffers()), images).device
    images = images.to(device, memory_format=torch.contiguous_format)
    logits = clean_logits(model, images, labels, batch_size)
    norms_at = GradientNorms(model, fixed_width(batch_size, device))
    rows: list[dict[str, Any]] = []
    for number, (label, generator) in enumerate(zip(labels.tolist(), generators, strict=True)):
        before = norms_at.forwards, norms_at.backwards
        found = readings(
            norms_at, images[number], label, logits[number], generator, norms, targets, how
        )
        costs = {
            "forwards": 1 + norms_at.forwards - before[0],
            "backwards": norms_at.backwards - before[1],
        }
        rows += [{"row": number, **reading, **costs} for reading in found]
        if progress:
            progress(1)
    return pd.DataFrame(rows, columns=COLUMNS)


def _sampling(
    norms: Sequence[str],
    method: str,
    batches: int,
    samples: int,
    ball: str | None,
    radius: float | None,
    pool: int,
) -> Sampling:
    """Return the sampling, checked and with the defaults of its method.

    Raises:
        ValueError: a value is not usable.
    """
    if method not in METHODS:
        raise ValueError(f"sampling {method!r}: one of {', '.join(METHODS)} expected")
    if method == "art":
        if len(norms) > 1 or ball not in (None, norms[0]):
            raise ValueError(
                f"norms {', '.join(norms)}, ball {ball}: sampling 'art' draws from the ball of one "
                f"norm; name one norm and no ball"
            )
        ball = norms[0]
        if radius is None:
            raise ValueError("radius is missing: sampling 'art' has no default")
    ball = "l2" if ball is None else ball
    if ball not in BALLS:
        raise ValueError(f"ball {ball!r}: one of {', '.join(BALLS)} expected")
    radius = RELEASED_RADIUS[ball] if radius is None else radius
    if not 0 < radius < float("inf"):
        raise ValueError(f"radius {radius}: more than 0 expected, pixel scale 0 to 1")
    for name, value in (("batches", batches), ("samples", samples), ("pool", pool)):
        if value < 1:
            raise ValueError(f"{name} {value}: at least 1 expected")
    return Sampling(method, ball, radius, batches, samples, pool)
