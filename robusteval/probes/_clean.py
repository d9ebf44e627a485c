"""What a model says about the clean images, before it is looked into."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain

from torch import Tensor, nn

from robusteval.batches import predict
from robusteval.models._errors import ModelError


def clean_logits(model: nn.Module, images: Tensor, labels: Tensor, batch_size: int) -> Tensor:
    """Return the logits (N, K), float64, on the CPU, of the images themselves.

    Raises:
        ModelError: they are not finite, or not (N, K) with room for every label and another class.
    """
    device = next(chain(model.parameters(), model.buffers()), images).device
    logits = predict(model, images.to(device), batch_size=batch_size)
    least = max(int(labels.max()) + 1, 2)
    if logits.ndim != 2 or logits.shape[1] < least:
        raise ModelError(
            f"logits have shape {tuple(logits.shape)}; ({len(images)}, K) with K at least {least} "
            f"expected"
        )
    if bad := int((~logits.isfinite()).any(1).sum()):
        raise ModelError(f"logits are NaN or infinite for {bad} of {len(logits)} images")
    return logits.double().cpu()


@contextmanager
def gradients_needed(what: str) -> Iterator[None]:
    """Turn torch's complaint about a model without gradients into a sentence.

    Raises:
        ModelError: the model gives none; the message says that ``what`` needs them.
    """
    try:
        yield
    except RuntimeError as error:
        if "does not require grad" not in str(error):
            raise
        raise ModelError(
            f"the logits have no gradient with respect to the images: {what} needs one; ebd, "
            "neuron_uncertainty, coverage, and noise without attacks need none"
        ) from error
