"""The four attacks of AutoAttack's standard version on one image, by the package pyautoattack."""

import logging
from typing import Any

import torch
from torch import Tensor

from robusteval.attacks._questions import Asking, AstrayError
from robusteval.models._errors import ModelError

NAMES = {"linf": "Linf", "l2": "L2"}  # of the norms in the package
LOGITS = 4  # that the loss of targeted APGD compares


def attempt(
    model: Asking,
    x: Tensor,
    label: Tensor,
    *,
    eps: float,
    norm: str,
    target_classes: int,
    steps: int,
    queries: int,
    seed: int,
) -> None:
    """Attack ``x`` (1, C, H, W) until it is adversarial or all four attacks have failed.

    The last image that ``model`` is asked about is the adversarial one, or, where all failed, the
    one of the largest loss that Square found.

    Raises:
        ModelError: there are too few classes.
    """
    with torch.no_grad():
        logits = model(x)
        _check_classes(logits.shape[1], target_classes)
        if logits.argmax(1) != label:
            return
        for attack in attacks(
            model,
            eps=eps,
            norm=norm,
            target_classes=target_classes,
            steps=steps,
            queries=queries,
            seed=seed,
        ):
            try:
                found = attack.perturb(x.clone(), label.clone())
            except AstrayError:
                continue  # the others may still find something
            if not torch.equal(found, x) and model(found).argmax(1) != label:
                return


def attacks(
    model: Asking,
    *,
    eps: float,
    norm: str,
    target_classes: int,
    steps: int,
    queries: int,
    seed: int,
) -> list[Any]:
    """Return the package's attacks in their order, set up as its standard version does."""
    from pyautoattack.autopgd_base import APGDAttack, APGDAttack_targeted
    from pyautoattack.fab_pt import FABAttack_PT
    from pyautoattack.square import SquareAttack

    quiet = logging.Logger("autoattack")  # else a line a step where a gradient is 0
    quiet.disabled = True
    shared = {"eps": eps, "norm": NAMES[norm], "seed": seed, "device": torch.device("cpu")}
    targeted = {"n_iter": steps, "n_target_classes": target_classes}
    return [
        APGDAttack(model, n_iter=steps, logger=quiet, **shared),
        APGDAttack_targeted(model, logger=quiet, **targeted, **shared),
        FABAttack_PT(model, targeted=True, **targeted, **shared),
        SquareAttack(model, n_queries=queries, p_init=0.8, resc_schedule=False, **shared),
    ]


def _check_classes(classes: int, target_classes: int) -> None:
    needed = max(target_classes + 1, LOGITS)
    if classes < needed:
        hint = f"; target_classes may be {classes - 1} at most" if classes >= LOGITS else ""
        raise ModelError(
            f"the model has {classes} classes; AutoAttack with {target_classes} target classes "
            f"needs at least {needed}{hint}"
        )
