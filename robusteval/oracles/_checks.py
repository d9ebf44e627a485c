"""What an oracle must be before its verdicts count."""

from collections.abc import Mapping

MARGIN = 0.02  # by which an oracle must be more often right than any evaluated model


def check_apart(members: Mapping[str, str], model: str, weights: str) -> None:
    """Check that none of the ``members`` of an oracle, name to hash, is the evaluated model.

    Raises:
        ValueError: one has the same ``weights`` as ``model``.
    """
    same = [name for name, other in members.items() if other == weights]
    if same:
        raise ValueError(
            f"{same[0]}, a member of the oracle or of its judges, has the weights of the evaluated "
            f"model {model}: it would judge itself; take one of them out"
        )


def check_better(accuracy: float, models: Mapping[str, float], *, margin: float = MARGIN) -> None:
    """Check that the oracle's ``accuracy`` is above that of each of ``models``, in [0, 1].

    Raises:
        ValueError: it is not, by ``margin``; the message names the best model.
    """
    best = max(models, key=lambda name: models[name])
    # Accuracies are counts over n: at the margin itself float64 may fall on either side.
    if accuracy < models[best] + margin - 1e-9:
        raise ValueError(
            f"the oracle is right on {100 * accuracy:.2f}%, {best} on {100 * models[best]:.2f}%: "
            f"expected at least {100 * margin:g} points more; train the oracle longer or on more "
            "images, or take a better one"
        )
