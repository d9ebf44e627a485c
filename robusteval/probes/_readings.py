"""CLEVER scores of one image: what was sampled around it, fitted, and held against its margins."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from robusteval.attacks._goal import TARGETS
from robusteval.attacks._targets import chosen
from robusteval.probes._gradients import GradientNorms
from robusteval.probes._maxima import Sampling, maxima_of
from robusteval.probes._weibull import FAILED, fitted

UNTARGETED = "untargeted"
WRONG = "misclassified"
NOT_FINITE = "gradients not finite"
FLAT = "no gradient"


def readings(
    norms_at: GradientNorms,
    image: Tensor,
    label: int,
    logits: Tensor,
    generator: np.random.Generator,
    norms: Sequence[str],
    targets: Sequence[str],
    how: Sampling,
) -> list[dict[str, Any]]:
    """Return the readings of one ``image`` (C, H, W), by target and norm.

    ``logits`` (K,), float64, are those of the image itself.
    """
    # Drawn in any case, so that neither depends on which targets are asked for.
    key, labels = int(generator.integers(2**63)), torch.tensor([label], device=logits.device)
    classes_of = {t: [int(chosen(t, logits[None], labels, [generator]))] for t in TARGETS}
    likely = classes_of["runner_up"]
    classes_of[UNTARGETED] = [c for c in range(len(logits)) if c != label]
    margins = (logits[label] - logits).tolist()
    prediction = int(logits.argmax())
    if prediction != label:
        classes_of[UNTARGETED] = likely
        wrong = {"score": 0.0, "failed_fits": 0, "status": WRONG, "prediction": prediction}
        return [
            {"target": t, "norm": n, "class": c, "margin": margins[c], **wrong}
            for t in targets
            for n in norms
            for c in classes_of[t]
        ]
    classes = sorted({c for t in targets for c in classes_of[t]})
    maxima = maxima_of(norms_at, image, label, classes, norms, how, key)
    found = {
        (n, c): _reading(margins[c], maxima[i, j], how)
        for i, c in enumerate(classes)
        for j, n in enumerate(norms)
    }
    result = []
    for t in targets:
        for n in norms:
            of_classes = [{"class": c, **found[n, c]} for c in classes_of[t]]
            fails = sum(r["status"] == FAILED for r in of_classes)
            # A score that is not known may be the smallest one.
            nearest = min(of_classes, key=lambda r: -1 if math.isnan(r["score"]) else r["score"])
            about = {"target": t, "norm": n, "failed_fits": fails, "prediction": prediction}
            result.append(about | nearest)
    return result


def _reading(margin: float, maxima: NDArray[np.float64], how: Sampling) -> dict[str, Any]:
    """Return the score of one class in one norm, and what it was made of."""
    if not np.isfinite(maxima).all():
        return {"score": math.nan, "margin": margin, "status": NOT_FINITE}
    fit = fitted(maxima, method=how.method)
    score = margin / fit.limit if fit.limit else math.inf
    return {
        "score": min(score, how.radius) if how.method == "art" else score,
        "margin": margin,
        "lipschitz": fit.limit,
        "shape": fit.shape,
        "location": fit.location,
        "scale": fit.scale,
        "ks_p": fit.p,
        "status": fit.status if fit.limit else FLAT,
    }
