"""What CLEVER costs an image: passes and seconds with one target and with three.

Three targets share the forward passes and the points, so that they cost less than three runs of
one. Each figure is the median over the images, in seconds of processor time on one thread, which
other work on the machine disturbs less than the wall's. A backward pass that costs no more than a
forward pass brings the ratio under 2.

    python benchmarks/clever.py                                     # three small networks
    python benchmarks/clever.py results/models/efficientnet_lite0   # or models of the workflow
"""

import argparse
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from robusteval.attacks._goal import TARGETS
from robusteval.attacks._targets import chosen
from robusteval.models._card import build, load_model
from robusteval.probes.clever import clever
from robusteval.seeds import generator

IMAGES, SAMPLES = 5, 64
CARD = {"classes": list("abcdefghij"), "input_size": [28, 28, 1], "mean": [0.3], "std": [0.35]}
MODELS = {
    "cnn of width 16": {"builder": "cnn", "arguments": {"width": 16}},
    "cnn of width 32": {"builder": "cnn", "arguments": {"width": 32}},
    "vit": {"builder": "vit", "arguments": {}},
}


def distinct(model: torch.nn.Module, images: torch.Tensor) -> list[tuple[int, int, int]]:
    """Return (image, label, seed) of images whose three targets are three classes."""
    found = []
    for number, logits in enumerate(model(images).detach()):
        label = int(logits.argmax())
        for seed in range(20):
            drawn = generator(seed)
            drawn.integers(2**63)  # the points' key, which CLEVER draws first
            own = torch.tensor([label])
            if len({int(chosen(kind, logits[None], own, [drawn])) for kind in TARGETS}) == 3:
                found.append((number, label, seed))
                break
    return found


def subjects(folders: list[Path]) -> Iterator[tuple[str, torch.nn.Module, list[int]]]:
    """Yield the name of each model, itself, and the shape (H, W, C) of its images."""
    for folder in folders:
        model, card = load_model(folder)
        yield folder.name, model, card["input_size"]
    for name, entry in ({} if folders else MODELS).items():
        yield name, build({**CARD, **entry}), CARD["input_size"]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--batches", type=int, default=50)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    for name, model, (height, width, channels) in subjects(asked.models):
        source = torch.Generator().manual_seed(0)
        images = torch.rand(IMAGES, channels, height, width, generator=source)
        model = model.eval().requires_grad_(False)
        model = model.to(memory_format=torch.channels_last)
        figures = {}
        for targets in (TARGETS[:1], TARGETS):
            seconds, passes = [], (0, 0)
            for number, label, seed in distinct(model, images):
                start = time.process_time()
                readings = clever(
                    model,
                    images[number : number + 1],
                    torch.tensor([label]),
                    generators=[generator(seed)],
                    target=targets,
                    batches=asked.batches,
                    samples=SAMPLES,
                )
                seconds.append(time.process_time() - start)
                passes = int(readings["forwards"][0]), int(readings["backwards"][0])
            figures[len(targets)] = statistics.median(seconds), *passes
        for targets, (second, forwards, backwards) in figures.items():
            print(
                f"{name}, {targets} target(s): {forwards:,} forward and {backwards:,} backward "
                f"passes, {second:.2f} s an image"
            )
        print(f"{name}: three targets take {figures[3][0] / figures[1][0]:.2f} times one")


if __name__ == "__main__":
    main()
