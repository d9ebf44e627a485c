"""Whether the model says the same of an image twice."""

from robusteval.checks._finding import Finding
from robusteval.checks._passes import ROUNDING, difference, first, forward, repeatable
from robusteval.checks._subject import Subject

WHY = (
    "A random model needs several evaluations an image and attacks on the mean of its gradients; "
    "one evaluation counts lucky draws as success."
)


def randomness(subject: Subject) -> Finding:
    """Return whether two passes of the same 16 images agree, up to rounding.

    To be looked at if they differ by more than 1e-4 of the largest logit: randomness may be meant.
    """
    images, n = first(subject)
    with repeatable(subject):
        one, other = forward(subject, images)[:n], forward(subject, images)[:n]
    moved = difference(one, other)
    changed = int((one.argmax(1) != other.argmax(1)).sum())
    found = "Two passes of the same images agree to the bit."
    if moved:
        found = f"Two passes of the same {n} images differ by {moved:.1g} of the largest logit"
        found += f" and in {changed} predictions."
    return Finding("randomness", "look" if moved > ROUNDING else "ok", found, WHY)
