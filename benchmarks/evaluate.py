"""How much of a bare forward pass's speed a cell keeps (bar: 95%), and the memory that it takes.

A cell reads its images from disk, verifies their hashes, runs them, checks the logits and writes
records; the bare pass runs over the same images as batches in memory. Both run in turn; the share
is the median of the rounds.

    python benchmarks/evaluate.py             the small network of the demo, and EfficientNet-Lite 0
    python benchmarks/evaluate.py --memory    peak memory of a cell of 50,000 images of 224 pixels
"""

import argparse
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from robusteval.batches import WIDTH, as_tensor
from robusteval.images._image_set import index_of, write_image_set
from robusteval.models._card import build, load_model, save_model
from workflow_scripts.evaluate import evaluate_cell, stored_parts

CNN = {"builder": "cnn", "arguments": {"width": 16}, "input_size": [28, 28, 1]}
LITE = {"builder": "timm", "arguments": {"name": "tf_efficientnet_lite0"}}
CASES = {  # card, classes, images, rounds
    "cnn of the demo, 28 pixels": (CNN, 10, 10_000, 5),
    "EfficientNet-Lite 0, 224 pixels": (LITE | {"input_size": [224, 224, 3]}, 1000, 2_000, 3),
}
TINY = CNN | {"arguments": {"width": 4}, "input_size": [224, 224, 3]}


def prepare(folder: Path, card: dict, classes: int, count: int) -> None:
    """Write a model with random weights and a set of random images."""
    height, width, channels = card["input_size"]
    names = {"classes": [str(i) for i in range(classes)]}
    whole = {**card, **names, "mean": [0.5] * channels, "std": [0.25] * channels}
    save_model(folder / "model", build(whole), whole)
    rng = np.random.default_rng(0)
    block = rng.integers(0, 256, (min(count, 500), height, width, channels), dtype=np.uint8)
    blocks = (block[: count - start] for start in range(0, count, len(block)))
    index = index_of(np.arange(count), np.arange(count) % classes, "clean")
    write_image_set(folder / "images", blocks, index)


def cell(folder: Path, count: int) -> None:
    parts, settings = stored_parts([folder / "images"], None, count, 1)
    evaluate_cell(folder / "model", parts, settings, WIDTH, "cpu", folder / "records.parquet")


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def share(folder: Path, card: dict, classes: int, count: int, rounds: int) -> tuple[float, float]:
    """Return the share of a bare pass's speed that a cell keeps, and its images a second."""
    prepare(folder, card, classes, count)
    model, _ = load_model(folder / "model")
    images = np.load(folder / "images" / "images.npy")
    batches = torch.split(as_tensor(images), WIDTH)

    @torch.inference_mode()
    def bare() -> None:
        for batch in batches:
            model(batch)

    pairs = [(seconds(bare), seconds(lambda: cell(folder, count))) for _ in range(rounds)]
    return statistics.median(b / c for b, c in pairs), count / statistics.median(
        c for _, c in pairs
    )


def memory(folder: Path, count: int) -> float:
    """Return the peak of this process's memory in GiB over a cell of ``count`` images."""
    prepare(folder, TINY, 10, count)
    cell(folder, count)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memory", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    if options.memory:
        with tempfile.TemporaryDirectory() as folder:
            print(f"50,000 images of 224 pixels: {memory(Path(folder), 50_000):.2f} GiB at most")
        return
    for name, (card, classes, count, rounds) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            kept, rate = share(Path(folder), card, classes, count, rounds)
        print(f"{name}: {kept:.1%} of a bare pass, {rate:,.0f} images/s")


if __name__ == "__main__":
    main()
