"""Whether the model is as right on clean images as it is published to be."""

import numpy as np

from robusteval.checks._finding import Finding, Verdict
from robusteval.checks._subject import Subject, logits_of
from robusteval.intervals import wilson

LEVEL = 0.99
FAR = 0.05  # as reported: decoders move accuracy by 1 point, wrong resizing by 4 to 7, the wrong
# mean and deviation by 19, and a forgotten or doubled normalisation by 60
GUESSING = 100  # images from which on a rate no better than guessing is no accident

WHY = "A model that misses its published accuracy is not run as its authors ran it."


def published_accuracy(subject: Subject) -> Finding:
    """Return whether the clean accuracy agrees with the card's ``published_accuracy``.

    That is a mapping with ``value``, in [0, 1], and ``source``. Ok within the 99% Wilson interval
    of the images at hand, wrong if more than 5 points below it, else to be looked at. Without a
    published value, a model that on 100 images or more cannot be told from guessing, is.

    Raises:
        ModelError: there are no logits.
        ValueError: the published value is not in [0, 1].
    """
    right = logits_of(subject).argmax(1) == subject.labels
    n = len(right)
    low, high = wilson(int(right.sum()), n, level=LEVEL)
    found = f"{np.mean(right):.1%} of {n} images are right (99% interval {low:.1%} to {high:.1%})"
    published = subject.card.get("published_accuracy")
    if published is None:
        guess = 1 / subject.classes
        if n >= GUESSING and low <= guess:
            found += f", which may be guessing ({guess:.1%}), and no published value is known."
            return Finding("published_accuracy", "look", found, WHY)
        return Finding("published_accuracy", "ok", f"{found}; no published value is known.", WHY)
    value, source = published["value"], published["source"]
    if not 0 <= value <= 1:
        raise ValueError(f"published_accuracy {value}: expected a share in [0, 1]")
    verdict: Verdict = "look"
    if low <= value <= high:
        verdict = "ok"
    elif high < value - FAR:
        verdict = "wrong"
    found += f"; published are {value:.1%} ({source})."
    return Finding("published_accuracy", verdict, found, WHY)
