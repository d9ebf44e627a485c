"""Minimum-distortion attacks beside foolbox at equal budget.

Bars: mean distortion over the images that both break no larger, success no lower, in at most half
the time; at most 10% of the time outside the model's passes. Both run in turn; times are medians of
the rounds, of processor time. Foolbox gets the model with its parameters frozen, so that
neither computes gradients that it does not need.

Foolbox ends a search of C&W or EAD when the loss is no better after a tenth of its steps; of few
steps that is long before the optimum. With --no-abort-early it takes all of them.

    python benchmarks/attacks.py                                    # two small networks
    python benchmarks/attacks.py --model results/models/efficientnet_lite0 --size 64 --count 48 \
        --images results/images/foolbox_photographs/bicubic_224 --rounds 1 --batch-size 16
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import foolbox
import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parents[1]))

from robusteval import plugins
from robusteval.attacks._passes import Passes
from robusteval.batches import WIDTH, as_tensor, predict
from robusteval.models._card import build, load_model

SEARCHES = 9
LINF_STEPS = 50
Found = Callable[[], Tensor]


class Clock:
    """Adds up the processor time spent in the model's passes."""

    def __init__(self) -> None:
        self.seconds = 0.0
        for name in ("forward", "backward"):
            setattr(Passes, name, self.timed(getattr(Passes, name)))

    def timed(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **options: Any) -> Any:
            start = time.process_time()
            try:
                return method(*args, **options)
            finally:
                self.seconds += time.process_time() - start

        return run


def small(width: int, count: int) -> tuple[nn.Module, Tensor, Tensor]:
    """Return a network of ten noisy patterns, trained here, and images that it gets right."""
    source = torch.Generator().manual_seed(0)
    coarse = torch.rand(10, 1, 7, 7, generator=source)
    patterns = F.interpolate(coarse, size=(28, 28), mode="bilinear")
    labels = torch.arange(512) % 10
    noise = torch.randn(512, 1, 28, 28, generator=source)
    images = (0.5 + 0.5 * (patterns[labels] - 0.5) + 0.15 * noise).clamp(0, 1)
    card = {
        "builder": "cnn",
        "arguments": {"width": width},
        "classes": list("abcdefghij"),
        "input_size": [28, 28, 1],
        "mean": [0.5],
        "std": [0.3],
    }
    torch.manual_seed(1)
    model = build(card)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.003)
    for _ in range(6):
        for part in torch.randperm(512).split(64):
            optimiser.zero_grad()
            F.cross_entropy(model(images[part]), labels[part]).backward()
            optimiser.step()
    return right(model.eval(), images, labels, count)


def given(
    folder: Path, images: Path, count: int, size: int | None
) -> tuple[nn.Module, Tensor, Tensor]:
    """Return a model of the workflow, and images that it gets right.

    With a ``size`` they are the quarters of the images, made that large: so there are enough of
    them, which take minutes. What the model says of them is then taken as their labels.
    """
    from robusteval.images._image_set import read_image_set

    model, _ = load_model(folder)
    chosen = read_image_set(images)
    pixels = as_tensor(np.asarray(chosen.images[: 4 * count]))
    labels = torch.from_numpy(chosen.index["label"].to_numpy()[: 4 * count].copy())
    if size:
        halves = [half for band in pixels.chunk(2, 2) for half in band.chunk(2, 3)]
        pixels = F.interpolate(torch.cat(halves), size=(size, size), mode="area")
        labels = predict(model.eval(), pixels).argmax(1)
    return right(model.eval(), pixels, labels, count)


def right(model: nn.Module, images: Tensor, labels: Tensor, count: int) -> Any:
    """Return the model, frozen, and the first ``count`` images that it gets right."""
    model.requires_grad_(False)
    kept = (predict(model, images).argmax(1) == labels).nonzero()[:count, 0]
    return model, images[kept], labels[kept]


def foolbox_linf(peer: Any, model: nn.Module, images: Tensor, labels: Tensor) -> Tensor:
    """Return foolbox's I-FGSM images of the smallest budget in an outer search, batched by eps."""
    attack = foolbox.attacks.LinfBasicIterativeAttack(rel_stepsize=1 / LINF_STEPS, steps=LINF_STEPS)
    eps, low = np.full(len(images), 0.02), np.zeros(len(images))
    high, best = np.full(len(images), np.inf), torch.zeros_like(images)
    for _ in range(SEARCHES):
        for value in np.unique(eps):
            part = torch.from_numpy(np.flatnonzero(eps == value))
            goal = foolbox.criteria.Misclassification(labels[part])
            made = attack.run(peer, images[part], goal, epsilon=float(value))
            wrong = (predict(model, made).argmax(1) != labels[part]).numpy()
            best[part[wrong]], high[part[wrong]] = made[wrong], value
            low[part[~wrong]] = value
        eps = np.where(np.isinf(high), 2 * eps, (low + high) / 2)
    return best


def compare(
    name: str,
    model: nn.Module,
    images: Tensor,
    labels: Tensor,
    clock: Clock,
    settings: dict[str, Any],
    peer: Found,
    *,
    norm: float,
    most: int,
    batch_size: int,
    rounds: int,
) -> None:
    """Print what both achieve and cost."""
    times: list[tuple[float, float, float]] = []
    for _ in range(rounds):
        clock.seconds, start = 0.0, time.process_time()
        own = plugins.load("attacks", name)(
            model, images, labels, batch_size=batch_size, **settings
        )
        mine, inside, start = time.process_time() - start, clock.seconds, time.process_time()
        theirs = peer()
        times.append((mine, inside, time.process_time() - start))
    there = predict(model, theirs).argmax(1) != labels
    both = own.success & there
    sizes = [
        (found - images).flatten(1).norm(norm, dim=1)[both].mean() for found in (own.images, theirs)
    ]
    ratio = statistics.median(mine / their for mine, _, their in times)
    outside = statistics.median(1 - inside / mine for mine, inside, _ in times)
    print(
        f"{name:12} success {own.success.float().mean():.3f} : {there.float().mean():.3f}   "
        f"mean L{norm:g} {sizes[0]:.5f} : {sizes[1]:.5f} ({sizes[0] / sizes[1] - 1:+.2%})   "
        f"time {ratio:.2f} of foolbox's   outside passes {outside:.1%}   "
        f"passes an image {own.forwards.float().mean():.0f} + {own.backwards.float().mean():.0f} "
        f"of at most {most} forward",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path)
    parser.add_argument("--images", type=Path)
    parser.add_argument("--count", type=int, default=64)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=WIDTH)
    parser.add_argument("--size", type=int, help="of quarters of images, in pixels")
    parser.add_argument("--only", nargs="+", default=["cw_l2", "ead", "ifgsm_search"])
    parser.add_argument("--no-abort-early", action="store_true", help="foolbox takes all steps")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    clock = Clock()
    if asked.model:
        subjects = {asked.model.name: given(asked.model, asked.images, asked.count, asked.size)}
    else:
        subjects = {f"cnn of width {width}": small(width, asked.count) for width in (8, 16)}
    for label, (model, images, labels) in subjects.items():
        print(f"{label}, {len(images)} images, {SEARCHES} searches of {asked.steps} steps")
        early = not asked.no_abort_early
        for name, *contest in contests(model, images, labels, asked.steps, early):
            if name not in asked.only:
                continue
            settings, peer, norm, most = contest
            compare(
                name,
                model,
                images,
                labels,
                clock,
                settings,
                peer,
                norm=norm,
                most=most,
                batch_size=asked.batch_size,
                rounds=asked.rounds,
            )


def contests(
    model: nn.Module, images: Tensor, labels: Tensor, steps: int, abort_early: bool
) -> list[tuple[str, dict[str, Any], Found, float, int]]:
    """Return for each attack its name, settings, foolbox's images, norm and most passes."""
    peer = foolbox.PyTorchModel(model, bounds=(0, 1))
    goal = foolbox.criteria.Misclassification(labels)
    budget = {"binary_search_steps": SEARCHES, "steps": steps, "initial_const": 0.01}
    budget["abort_early"] = abort_early
    cw = foolbox.attacks.L2CarliniWagnerAttack(stepsize=0.01, confidence=0, **budget)
    en = foolbox.attacks.EADAttack(regularization=1e-3, decision_rule="L1", **budget)
    same = {"steps": steps, "searches": SEARCHES, "initial_const": 0.01, "learning_rate": 0.01}
    cw_fast = {"patience": 15, "warm_start": True, "polish": min(300, steps)}
    en_fast = {"patience": 20, "polish": min(200, steps)}
    search = {"warm_start": True, "tolerance": 0.02}
    most = SEARCHES * steps
    return [
        ("cw_l2", same | cw_fast, lambda: cw.run(peer, images, goal), 2, 1 + most),
        ("ead", same | en_fast, lambda: en.run(peer, images, goal), 1, 2 * most),
        (
            "ifgsm_search",
            search,
            lambda: foolbox_linf(peer, model, images, labels),
            float("inf"),
            1 + SEARCHES * LINF_STEPS,
        ),
    ]


if __name__ == "__main__":
    main()
