"""A classifier as oracle: a stand-in for a foundation model in studies that have none."""

from torch import Tensor, nn

from robusteval.oracles._oracle import Oracle


def supervised(model: nn.Module) -> Oracle:
    """Return ``model``, which maps images to logits, as an oracle.

    What it judges is relative to it: a model trained on more data than the evaluated ones, never
    one of them, is called an oracle here, not a foundation model.
    """
    return _Supervised(model).eval()


class _Supervised(Oracle):
    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def probabilities(self, images: Tensor) -> Tensor:
        logits: Tensor = self.model(images)
        return logits.softmax(1)
