"""Whether the model is in evaluation mode and judges each image by itself."""

import torch

from robusteval.checks._finding import Finding
from robusteval.checks._passes import COUNT, ROUNDING, difference, first, forward, repeatable
from robusteval.checks._subject import Subject

WHY = "In training mode an image's logits depend on chance and on the images beside it."


def evaluation_mode(subject: Subject) -> Finding:
    """Return whether no layer is in training mode and no image depends on its neighbours.

    Eight images are run beside eight others and beside the negatives of these; batch norm with the
    statistics of the batch shows, in whatever mode it claims to be. Wrong if either fails.
    """
    images, _ = first(subject)
    half = COUNT // 2
    beside = torch.cat([images[:half], 1 - images[half:]])
    with repeatable(subject):
        one = forward(subject, images)[:half]
    with repeatable(subject):
        other = forward(subject, beside)[:half]
    moved = difference(one, other)
    training = [name or "the model" for name, m in subject.model.named_modules() if m.training]
    found = "No layer is in training mode"
    if training:
        found = f"{len(training)} layers are in training mode"
        found += f" ({', '.join(training[:3])}{', ...' if len(training) > 3 else ''})"
    found += f"; other neighbours move logits by {moved:.1g} of the largest."
    bad = training or moved > ROUNDING
    return Finding("evaluation_mode", "wrong" if bad else "ok", found, WHY)
