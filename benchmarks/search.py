"""What a search costs an image: many at a time beside one at a time, and whether both end alike.

One at a time is measured twice: by the plain loop of algorithm 1, with passes of one image, and by
`latent_search` called image by image, whose passes are padded to 16. Seconds are of the processor,
on one thread, which other work on the machine disturbs less than the wall's. The plain loop may end
elsewhere by rounding alone; the calls image by image end at the same bits.

    python benchmarks/search.py                                 # networks of random weights
    python benchmarks/search.py MODEL GENERATOR ORACLE IMAGES   # folders that the workflow made
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F

sys.path.insert(0, str(Path(__file__).parents[1]))

from robusteval.batches import as_tensor
from robusteval.generators._card import load_generator
from robusteval.generators._generator import Generator, straight_through
from robusteval.generators.vq_vae import vq_vae
from robusteval.images._image_set import read_image_set
from robusteval.models._card import build, load_model
from robusteval.oracles._oracle import Oracle
from robusteval.oracles.supervised import supervised
from robusteval.search.latent_search import latent_search

FEW = 32  # images of the slowest way
CARD = {"classes": list("abcdefghij"), "input_size": [28, 28, 1], "mean": [0.3], "std": [0.35]}


def plain(
    model: nn.Module, generator: Generator, oracle: Oracle, x: Tensor, y: Tensor, **setting: float
) -> Tensor:
    """Return the last accepted image of a search from one image ``x`` (1, C, H, W)."""
    latents, kept = generator.encode(x), x
    for step in range(int(setting["budget"]) + 1):
        latents = latents.detach().requires_grad_()
        image = generator.decode(latents)
        image = straight_through(image, (image.detach() * 255).round() / 255)
        if not oracle.accepts(image.detach(), y).item():
            break
        kept = image.detach()
        if step < setting["budget"]:
            (gradient,) = torch.autograd.grad(F.cross_entropy(model(image), y), latents)
            latents = latents + setting["step_size"] * gradient.sign()
    return kept


def scene(asked: argparse.Namespace) -> tuple[nn.Module, Generator, Oracle, Tensor, Tensor]:
    """Return model, generator, oracle, images and labels; random ones if no folders are named."""
    if asked.folders:
        model, generator, oracle, images = asked.folders
        found = read_image_set(images)
        pixels = as_tensor(found.images[: asked.images])
        labels = torch.from_numpy(found.index["label"].to_numpy(copy=True)[: asked.images])
        judge = supervised(load_model(oracle)[0])
        return load_model(model)[0], load_generator(generator)[0], judge, pixels, labels
    torch.manual_seed(0)
    model, other = (build({**CARD, "builder": "cnn", "arguments": {"width": 16}}) for _ in "ab")
    made = vq_vae(shape=(28, 28, 1), width=16, codes=64)
    nn.init.normal_(made.codebook.vectors)
    for network in (model, other, made):
        network.eval().requires_grad_(False)
    pixels = torch.rand(asked.images, 1, 28, 28)
    judge = supervised(other)
    return model, made, judge, pixels, judge(made.round_trip(pixels)).argmax(1)


def timed(run: Callable[[], Tensor]) -> tuple[Tensor, float]:
    """Return what ``run`` returns, and the seconds of the processor that it took."""
    start = time.process_time()
    found = run()
    return found, time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--images", type=int, default=256)
    parser.add_argument("--budget", type=int, default=10)
    parser.add_argument("--step-size", type=float, default=0.1)
    asked = parser.parse_args()
    torch.set_num_threads(1)
    model, generator, oracle, images, labels = scene(asked)
    setting = {"budget": asked.budget, "step_size": asked.step_size}

    def searched(which: slice) -> Tensor:
        found = latent_search(model, generator, oracle, images[which], labels[which], **setting)
        return found.images

    def alone(at: int) -> Tensor:
        own = slice(at, at + 1)
        return plain(model, generator, oracle, images[own], labels[own], **setting)

    searched(slice(0, 16))  # what is slow once
    whole, seconds = timed(lambda: searched(slice(None)))
    each = seconds / len(images)
    lines = [f"{len(images)} images at a time: {1000 * each:.2f} ms an image"]
    for name, run, count in (
        ("plain loop", alone, len(images)),
        ("latent_search", lambda at: searched(slice(at, at + 1)), min(FEW, len(images))),
    ):
        found, other = timed(lambda run=run, count=count: torch.cat([run(i) for i in range(count)]))
        same = int((found == whole[:count]).flatten(1).all(1).sum())
        lines.append(
            f"one at a time, {name}: {1000 * other / count:.2f} ms an image, "
            f"{other / count / each:.1f} times; {same} of {count} end at the same bits"
        )
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
