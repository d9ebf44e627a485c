"""The training loop: seeded by step, resumed at the last whole epoch."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from robusteval.seeds import generator
from robusteval.shards import Shards

Loss = Callable[..., Tensor]  # a file of robusteval/training


def train(
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    *,
    loss: Loss,
    epochs: int,
    batch_size: int,
    optimiser: str,
    learning_rate: float,
    weight_decay: float,
    seed: int,
    checkpoints: Shards,
    progress: Callable[[int], None],
) -> None:
    """Train ``model`` in place on ``images`` (N, C, H, W) in [0, 1] and ``labels`` (N,).

    The learning rate rises linearly over the first tenth of the steps and falls to 0 after it.
    Every random number belongs to (seed, step), so a run that was killed and goes on from its
    last checkpoint ends with the same weights. ``optimiser`` is "sgd" (Nesterov momentum 0.9) or
    "adamw".
    """
    steps_per_epoch = len(images) // batch_size
    total = epochs * steps_per_epoch
    if not total:
        raise ValueError(f"batch size {batch_size} with {len(images)} images: no whole batch")
    optimizer = _optimizer(model, optimiser, learning_rate, weight_decay)
    first = _resume(checkpoints, model, optimizer, epochs)
    progress(first * steps_per_epoch * batch_size)
    for epoch in range(first, epochs):
        model.train()
        order = torch.from_numpy(generator(seed, "order", epoch).permutation(len(images)))
        for i, batch in enumerate(torch.split(order, batch_size)[:steps_per_epoch]):
            step = epoch * steps_per_epoch + i
            rng = torch.Generator()
            rng.manual_seed(int(generator(seed, "batch", step).integers(2**62)))
            for group in optimizer.param_groups:
                group["lr"] = learning_rate * schedule(step, total)
            value = loss(model, images[batch], labels[batch], rng=rng, done=step / total)
            optimizer.zero_grad()
            value.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            progress(batch_size)
        checkpoints.put("checkpoint", _state(model, optimizer, epoch + 1))
    model.eval()


def schedule(step: int, total: int, *, rise: float = 0.1) -> float:
    """Return the share of the learning rate at ``step``: up over the first tenth, down after."""
    return min((step + 1) / (rise * total), (total - step) / ((1 - rise) * total), 1.0)


def _optimizer(
    model: nn.Module, name: str, learning_rate: float, weight_decay: float
) -> torch.optim.Optimizer:
    if name == "sgd":
        return torch.optim.SGD(
            model.parameters(),
            lr=learning_rate,
            momentum=0.9,
            nesterov=True,
            weight_decay=weight_decay,
        )
    if name == "adamw":
        return torch.optim.AdamW(model.parameters(), lr=learning_rate, weight_decay=weight_decay)
    raise ValueError(f"optimiser {name!r}: sgd or adamw expected")


def _state(model: nn.Module, optimizer: torch.optim.Optimizer, epoch: int) -> dict[str, Tensor]:
    """Return everything that the rest of the training depends on, as named tensors."""
    state = {f"model.{name}": tensor for name, tensor in model.state_dict().items()}
    for number, slots in optimizer.state_dict()["state"].items():
        state |= {f"optimizer.{number}.{slot}": tensor for slot, tensor in slots.items()}
    return {**state, "epoch": torch.tensor(epoch)}


def _resume(
    checkpoints: Shards,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    epochs: int,
) -> int:
    """Load the last checkpoint, if there is one, and return the number of finished epochs."""
    state = checkpoints.get("checkpoint")
    if state is None:
        return 0
    epoch = int(state.pop("epoch"))
    assert epoch <= epochs, (epoch, epochs)
    own = {k.removeprefix("model."): v for k, v in state.items() if k.startswith("model.")}
    model.load_state_dict(own)
    slots: dict[int, dict[str, Any]] = {}
    for name, tensor in state.items():
        if name.startswith("optimizer."):
            _, number, slot = name.split(".")
            slots.setdefault(int(number), {})[slot] = tensor
    content = optimizer.state_dict()
    content["state"] = slots
    optimizer.load_state_dict(content)
    return epoch
