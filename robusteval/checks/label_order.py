"""Whether the model and the images number the classes in the same order."""

import numpy as np
from numpy.typing import NDArray

from robusteval.checks._finding import Finding
from robusteval.checks._subject import Subject, logits_of
from robusteval.intervals import wilson

UNUSUAL, CERTAIN = 3.0, 4.0  # standard deviations of a paired difference
MUCH = 0.1  # a gain in accuracy that no confusion of two classes explains

Integers = NDArray[np.int64]

ASSIGNED = "the assignment that the other half of the images gives"
WHY = "Images whose labels count the classes in another order make every model look broken."


def label_order(subject: Subject) -> Finding:
    """Return whether another order of the classes fits the labels better than the model's own.

    Tried are named orders (see `named_orders`) and the best one-to-one assignment of predicted to
    labelled classes. That is found on one half of the images and judged on the other, so that it
    gains nothing by chance, however few images a class has. An order is better if it is by 3
    standard deviations of the paired difference, and beyond doubt better than to always answer the
    most frequent label; wrong if it is by 4 and by 10 points of accuracy, else to be looked at.

    Raises:
        ModelError: there are no logits.
    """
    label, said = subject.labels, logits_of(subject).argmax(1)
    if label.min() < 0 or label.max() >= subject.classes:
        found = (
            f"Labels run from {label.min()} to {label.max()}, 0 to {subject.classes - 1} expected."
        )
        return Finding("label_order", "wrong", found, WHY)
    right = said == label
    orders = {name: to == label for name, to in named_orders(said, subject.classes).items()}
    name = max(orders, key=lambda order: orders[order].sum())
    if _sigmas(orders[name], right, label) < UNUSUAL:
        orders[ASSIGNED] = _held_out(said, label)
        name = max(orders, key=lambda order: orders[order].sum())
    now, then = float(np.mean(right)), float(np.mean(orders[name]))
    sigmas = _sigmas(orders[name], right, label)
    found = f"{now:.1%} of {len(label)} images are right"
    if sigmas < UNUSUAL:
        found += f", and no other order is clearly better (closest: {name}, {then:.1%})."
        return Finding("label_order", "ok", found, WHY)
    found += f", but {then:.1%} would be with {name}"
    found += f", such as {_moves(said, label)}." if name == ASSIGNED else "."
    sure = sigmas >= CERTAIN and then - now >= MUCH
    return Finding("label_order", "wrong" if sure else "look", found, WHY)


def named_orders(said: Integers, classes: int) -> dict[str, Integers]:
    """Return, by name of a common mistake, the label (N,) that each prediction (N,) stands for.

    Folders named 0, 1, ... are sorted as strings (0, 1, 10, 11, 2, ...) by some readers and as
    numbers by others; up to ten classes the two are the same.
    """
    orders = {
        "labels one above the model's": said + 1,
        "labels one below the model's": said - 1,
        "the classes in reverse order": classes - 1 - said,
    }
    if classes > 10:
        number = np.array(sorted(range(classes), key=str))
        orders["labels of folders sorted as strings"] = np.argsort(number)[said]
        orders["a model whose classes are sorted as strings"] = number[said]
    return orders


def _sigmas(other: NDArray[np.bool_], right: NDArray[np.bool_], label: Integers) -> float:
    """Return by how many standard deviations ``other`` (N,) is right more often than ``right``.

    0 if it is not beyond doubt right more often than the most frequent label is met.
    """
    gained, lost = int(np.sum(other & ~right)), int(np.sum(right & ~other))
    low, _ = wilson(int(other.sum()), len(other), level=0.99)
    if gained <= lost or low <= np.bincount(label).max() / len(label):
        return 0.0
    return float((gained - lost) / np.sqrt(gained + lost))


def _assignment(said: Integers, label: Integers, classes: int) -> Integers:
    """Return the label (K,) assigned to each predicted class, one to one; its own if in doubt."""
    from scipy.optimize import linear_sum_assignment  # slow to import

    together = 0.5 * np.eye(classes)  # settles ties, whatever the solver would do
    np.add.at(together, (said, label), 1)
    assigned: Integers = linear_sum_assignment(together, maximize=True)[1]
    return assigned


def _compact(said: Integers, label: Integers) -> tuple[Integers, Integers, Integers]:
    """Return the classes that occur (K',), and ``said`` and ``label`` as positions among them.

    There are at most two per image, while the model may know tens of thousands.
    """
    present, codes = np.unique(np.concatenate([said, label]), return_inverse=True)
    return present, codes[: len(said)], codes[len(said) :]


def _held_out(said: Integers, label: Integers) -> NDArray[np.bool_]:
    """Return which images (N,) are right with the assignment that the other half gives."""
    present, s, y = _compact(said, label)
    right = np.zeros(len(s), bool)
    for half in range(2):
        others = np.arange(len(s)) % 2 != half  # in turn, as images may come sorted by class
        assigned = _assignment(s[others], y[others], len(present))
        right[~others] = assigned[s[~others]] == y[~others]
    return right


def _moves(said: Integers, label: Integers) -> str:
    """Return the three moves, of the assignment that fits all images, that most images share."""
    present, s, y = _compact(said, label)
    assigned = _assignment(s, y, len(present))
    moved = np.flatnonzero(assigned != np.arange(len(present)))
    hits = np.array([np.sum((s == c) & (y == assigned[c])) for c in moved])
    top = moved[np.argsort(-hits, kind="stable")[:3]]
    return ", ".join(f"{present[c]} to {present[assigned[c]]}" for c in top)
