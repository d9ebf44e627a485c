"""A model that gives its features beside its logits: what its last layer takes."""

from typing import Any

import torch
from torch import Tensor, nn


class WithFeatures(nn.Module):
    """``model``, returning logits and features side by side, (N, K + D) for (N, C, H, W).

    Features are the input (N, D) of the linear layer whose output the logits are, untouched. The
    first pass shows which layer that is; without one, D is 0. What the model returns is the same
    to the bit, wrapped or not.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model
        self.outputs = 0  # logits of an image, K; known after a pass
        # In a tuple, so that the layer does not count as another part of this module.
        self._last: tuple[nn.Linear, ...] | None = None
        self._seen: list[tuple[nn.Linear, Tensor, Tensor]] = []
        self._taken: Tensor | None = None
        # A subclass may do more than a product and a sum.
        layers = [layer for layer in model.modules() if type(layer) is nn.Linear]
        self._hooks = [layer.register_forward_hook(self._note) for layer in layers]

    def forward(self, images: Tensor) -> Tensor:
        """Return logits and features."""
        self._seen.clear()
        logits: Tensor = self.model(images)
        self.outputs = logits.shape[1]
        if self._last is None:
            self._settle(logits)
        if self._taken is None:
            return logits
        return torch.cat([logits, self._taken], 1)

    def last_layer(self) -> tuple[Tensor, Tensor] | None:
        """Return weight (K, D) and bias (K,) of the layer after the features, if a pass found one.

        Without a bias, it is 0.
        """
        if not self._last:
            return None
        (layer,) = self._last
        weight = layer.weight.detach()
        return weight, weight.new_zeros(len(weight)) if layer.bias is None else layer.bias.detach()

    def _note(self, layer: nn.Module, given: tuple[Any, ...], returned: Tensor) -> None:
        assert isinstance(layer, nn.Linear)
        self._seen.append((layer, given[0], returned))

    def _settle(self, logits: Tensor) -> None:
        """Find the layer whose output the logits are, and from now on look at that alone."""
        found = [
            (layer, given)
            for layer, given, returned in self._seen
            if logits.ndim == 2 and returned.shape == logits.shape and returned.equal(logits)
        ]
        for hook in self._hooks:
            hook.remove()
        self._last = ()
        if found:
            layer, self._taken = found[-1]
            self._last = (layer,)
            layer.register_forward_pre_hook(self._take)
        self._seen.clear()

    def _take(self, layer: nn.Module, given: tuple[Any, ...]) -> None:
        self._taken = given[0]
