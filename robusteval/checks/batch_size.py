"""Whether an image gets the same logits whatever the batch size."""

import torch

from robusteval.batches import padded
from robusteval.checks._finding import Finding, Verdict
from robusteval.checks._passes import (
    COUNT,
    DIFFERENT,
    ROUNDING,
    difference,
    first,
    forward,
    repeatable,
)
from robusteval.checks._subject import Subject

EIGHT, ALONE = 8, 4  # images that are run unpadded, and one by one

WHY = "Passes have one width here but not elsewhere, and numbers may not agree with other code's."


def batch_size(subject: Subject) -> Finding:
    """Return whether logits agree between 8 images padded to 16, the 8 alone and each by itself.

    Ok if they are equal to the bit or within 1e-4 of the largest logit, which is rounding in
    another order; wrong if they differ by more than 1e-2 of it; to be looked at in between, as with
    TF32 or half precision, and where two passes of the same batch differ as much.
    """
    images = first(subject)[0][:EIGHT]
    with repeatable(subject):
        full = forward(subject, padded(images, COUNT))
        again = forward(subject, padded(images, COUNT))
    with repeatable(subject):
        eight = forward(subject, images)
        one = torch.cat([forward(subject, image[None]) for image in images[:ALONE]])
    moved = max(difference(full[:EIGHT], eight), difference(full[:ALONE], one))
    chance = difference(full, again)
    found = f"Batches of 1, 8 and 8 padded to 16 differ by {moved:.1g} of the largest logit."
    verdict: Verdict = "ok"
    if moved > ROUNDING:
        verdict = "wrong" if moved > DIFFERENT else "look"
    if moved > ROUNDING and chance > moved / 10:
        verdict = "look"
        found = found[:-1] + f", but two passes of one batch by {chance:.1g}: it is chance."
    elif moved == 0:
        found = "Batches of 1, 8 and 8 padded to 16 agree to the bit."
    return Finding("batch_size", verdict, found, WHY)
