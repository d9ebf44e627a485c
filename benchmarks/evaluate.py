"""How much of a bare forward pass's speed the streamed, checked evaluation keeps (bar: 95%).

Both run in turn on the same images; each figure is the median of the rounds.

    python benchmarks/evaluate.py
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from robusteval.batches import WIDTH, as_tensor
from robusteval.models._card import build
from robusteval.models._evaluate import evaluate

ROUNDS, IMAGES = 7, 8192
CARD = {"builder": "cnn", "classes": list("abcdefghij"), "input_size": [28, 28, 1]}


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    torch.set_num_threads(1)
    images = np.random.default_rng(0).integers(0, 256, (IMAGES, 28, 28, 1), dtype=np.uint8)
    for width in (16, 32):
        card = {**CARD, "arguments": {"width": width}, "mean": [0.3], "std": [0.35]}
        model = build(card).eval()
        batches = torch.split(as_tensor(images), WIDTH)

        @torch.inference_mode()
        def bare(model=model, batches=batches) -> None:
            for batch in batches:
                model(batch)

        def ours(model=model) -> None:
            evaluate(model, images, classes=10)

        bare(), ours()
        pairs = [(seconds(bare), seconds(ours)) for _ in range(ROUNDS)]
        share = statistics.median(b / o for b, o in pairs)
        rate = IMAGES / statistics.median(o for _, o in pairs)
        print(f"cnn of width {width}: {share:.1%} of a bare pass, {rate:,.0f} images/s")


if __name__ == "__main__":
    main()
