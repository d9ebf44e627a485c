"""Whether the first layer sees images normalised as the card says, once."""

from typing import Any

import torch
from torch import Tensor, nn

from robusteval.checks._finding import Finding
from robusteval.checks._passes import first, forward, repeatable
from robusteval.checks._subject import Subject

# Of the expected deviation. Published deviations are 0.5 or less, so that normalising once more, or
# not, changes the spread twofold or more; resizing in the model changes it by less.
TOLERANCE = 0.25

WHY = "Images normalised twice, or not at all, lower accuracy without any error message."


def normalisation(subject: Subject) -> Finding:
    """Return whether pixels reach the first layer as ``(x - mean) / std`` with the card's values.

    The input of the first layer with weights is held against that: wrong if it is that of images
    normalised twice or not at all, to be looked at if it is neither or cannot be seen.
    """
    mean, std = subject.card.get("mean"), subject.card.get("std")
    if mean is None or std is None:
        return Finding("normalisation", "ok", "The card names no mean and deviation.", WHY)
    images, _ = first(subject)
    seen = _first_input(subject, images)
    if seen is None:
        found = "No layer with weights was seen to take the images."
        return Finding("normalisation", "look", found, WHY)
    centre, scale = (torch.tensor(v, device=images.device).view(-1, 1, 1) for v in (mean, std))
    once = (images - centre) / scale
    found = f"The first layer sees {_moments(seen)}; the card means {_moments(once)}"
    if _alike(seen, once):
        return Finding("normalisation", "ok", f"{found}.", WHY)
    if _alike(seen, (once - centre) / scale):
        return Finding("normalisation", "wrong", f"{found}: normalised twice.", WHY)
    if _alike(seen, images):
        return Finding("normalisation", "wrong", f"{found}: not normalised.", WHY)
    return Finding("normalisation", "look", f"{found}.", WHY)


def _first_input(subject: Subject, images: Tensor) -> Tensor | None:
    """Return what the first layer with weights takes when ``images`` are run."""
    seen: list[Tensor] = []

    def keep(_: nn.Module, inputs: tuple[Any, ...]) -> None:
        if not seen and inputs and torch.is_tensor(inputs[0]) and inputs[0].is_floating_point():
            seen.append(inputs[0].detach().float())

    layers = (m for m in subject.model.modules() if not any(True for _ in m.children()))
    weighted = [m for m in layers if any(True for _ in m.parameters())]
    hooks = [layer.register_forward_pre_hook(keep) for layer in weighted]
    try:
        with repeatable(subject):
            forward(subject, images)
    finally:
        for hook in hooks:
            hook.remove()
    return seen[0] if seen else None


def _moments(values: Tensor) -> str:
    return f"mean {float(values.mean()):.2f} and deviation {float(values.std()):.2f}"


def _alike(seen: Tensor, expected: Tensor) -> bool:
    """Return whether mean and deviation agree within the tolerance."""
    deviation = float(expected.std())
    apart = abs(float(seen.mean()) - float(expected.mean()))
    spread = abs(float(seen.std()) - deviation)
    return max(apart, spread) <= TOLERANCE * deviation
