"""Whether gradients lead from the logits to the pixels, as white-box attacks need."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from robusteval.checks._finding import Finding
from robusteval.checks._passes import first, forward, repeatable
from robusteval.checks._subject import Subject
from robusteval.transformations._words import words

VANISHED = 1e-20  # its square is nothing in float32, so a step along it has no direction
STEP = 0.01  # L2 length, pixel scale 0 to 1: a small part of what it takes to fool a model
FLAT = 1e-4  # change of a margin, as a share of the largest logit, that stands out of rounding
FACTOR = 2.0  # between the change that the gradient foretells and the one that comes

OK = "White-box attacks follow this gradient."
NOT = "White-box attacks cannot run; only attacks that use no gradient measure this model."
MASKED = (
    "Attacks on cross-entropy stand still and the model looks robust; attacks on differences of "
    "logits still work."
)
ZERO = "White-box attacks stand still and the model looks robust without being so."
DEFENDED = (
    "White-box attacks are adaptive, but no proof: a defence holds against those alone that were "
    "tried, those by queries included."
)
UNTRUE = "White-box attacks go astray, so the model may look more robust than it is."


@dataclass(frozen=True)
class _Slopes:
    """Gradients (N, C, H, W) of cross-entropy and of the margin of the model's own answer."""

    entropy: Tensor
    margin: Tensor
    answer: Tensor
    scale: float


def gradient(subject: Subject) -> Finding:
    """Return whether cross-entropy and the logits have a gradient at 16 images, and a true one.

    Both losses are those of the model's own answer, where a softmax saturates first. Wrong if the
    logits do not depend on the pixels differentiably, a gradient is not finite, or one vanishes
    (below 1e-20) for half of the images or more; to be looked at if it vanishes for some, or if a
    step of L2 length 0.01 along the margin's gradient changes the margin by less than half or more
    than twice of what the gradient foretells, in the median: a straight-through or detached path. A
    model behind a transformation is always to be looked at, for its gradient is a stand-in.
    """
    images, n = first(subject)
    # Just inside the scale: a model that clips has two slopes at its ends.
    images = images[:n].clamp(STEP, 1 - STEP)
    slopes = _slopes(subject, images)
    if slopes is None:
        found = "The logits are not connected to the pixels by a gradient."
        return Finding("gradient", "wrong", found, NOT)
    both = (slopes.entropy, slopes.margin)
    endless = int((~torch.stack([g.flatten(1).isfinite().all(1) for g in both])).any(0).sum())
    if endless:
        found = f"The gradient is NaN or infinite for {endless} of {n} images."
        return Finding("gradient", "wrong", found, NOT)
    entropy, margin = (int((g.flatten(1).abs().amax(1) < VANISHED).sum()) for g in both)
    found = f"The gradient of cross-entropy vanishes for {entropy} of {n} images"
    found += f", that of the logits for {margin}"
    if worst := max(entropy, margin):
        why = ZERO if margin else MASKED
        return Finding("gradient", "wrong" if 2 * worst >= n else "look", f"{found}.", why)
    if "defence" in subject.card:  # steps or chance are in what the model does: no trial could tell
        found += f"; it is taken {words(subject.card['defence'])}."
        return Finding("gradient", "look", found, DEFENDED)
    ratio = _truth(subject, images, slopes)
    if ratio is None:
        return Finding("gradient", "ok", f"{found}; it is too flat to be tried.", OK)
    found += f"; small steps change the logits by {ratio:.2f} times what it foretells."
    true = 1 / FACTOR <= ratio <= FACTOR
    return Finding("gradient", "ok" if true else "look", found, OK if true else UNTRUE)


def _slopes(subject: Subject, images: Tensor) -> _Slopes | None:
    """Return the gradients, or None if the logits do not depend on ``images`` differentiably."""
    x = images.detach().requires_grad_()
    with repeatable(subject), torch.enable_grad():
        logits = subject.model(x)
        if not logits.requires_grad:
            return None
        answer = logits.detach().argmax(1)
        entropy = F.cross_entropy(logits, answer, reduction="sum")
        found = torch.autograd.grad(entropy, x, retain_graph=True, allow_unused=True)[0]
        if found is None:
            return None
        other = torch.autograd.grad(_margin(logits, answer).sum(), x)[0]
    return _Slopes(found, other, answer, float(logits.detach().abs().max()))


def _margin(logits: Tensor, answer: Tensor) -> Tensor:
    """Return the logit of ``answer`` (N,) less the largest other one, (N,)."""
    own = F.one_hot(answer, logits.shape[1]).bool()
    return logits[own] - logits.masked_fill(own, -torch.inf).amax(1)


def _truth(subject: Subject, images: Tensor, slopes: _Slopes) -> float | None:
    """Return the median ratio of the margin's change along its gradient to that foretold.

    None if all changes would be lost in rounding.
    """
    length = slopes.margin.flatten(1).norm(dim=1)
    along = STEP * slopes.margin / length.view(-1, 1, 1, 1)
    ends = []
    for sign in (1, -1):
        with repeatable(subject):
            logits = forward(subject, images + sign * along)
        ends.append(_margin(logits, slopes.answer.cpu()))
    foretold = (2 * STEP * length).double().cpu()
    steep = foretold > FLAT * slopes.scale
    if not steep.any():
        return None
    return float(((ends[0] - ends[1]) / foretold)[steep].median())
