"""What EBD costs: forward passes and seconds beside loops over one direction at a time.

EBD is the least distance over all directions, so all of them are looked at at one magnitude before
any is at the next, and an image is done at the first change that is met. No search that only sees
predictions can do with fewer: a direction that was left out at a smaller magnitude could be the one
that changes there. So the scan's points are those of the best loop there is; what it saves is the
passes, of which each takes a whole batch of directions. Held against it are

* the plain loop: direction by direction, each walked outwards until it changes or ends, a point a
  pass (as the authors' code walks), and
* the same loop with the best distance so far as its end, which is the least that one direction at
  a time can do, and
* the loop with all magnitudes of a direction in one pass, which looks at every point there is.

Seconds are of processor time on one thread, which other work on the machine disturbs less than the
wall's; the loops are timed on the first images only and their passes counted on them, too.

    python benchmarks/probes.py results/models/cnn results/images/fashion_mnist_test/as_stored
"""

import argparse
import sys
import time
from pathlib import Path

import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parents[1]))

from robusteval.batches import WIDTH, as_tensor
from robusteval.images._image_set import drawn, read_image_set
from robusteval.models._card import load_model
from robusteval.probes._directions import directions as orthogonal
from robusteval.probes.ebd import ebd

MAGNITUDES = [2 * number / 255 for number in range(1, 64)]


@torch.inference_mode()
def loop(
    model: nn.Module, image: Tensor, label: int, rays: Tensor, *, best_ends: bool
) -> tuple[float, int]:
    """Return the distance of one image and the passes of a loop over one direction at a time."""
    best, passes = len(MAGNITUDES), 0  # counts magnitudes; without a change it is the largest
    for ray in rays:
        end = best if best_ends else len(MAGNITUDES)
        for step, magnitude in enumerate(MAGNITUDES[:end], 1):
            point = (image + magnitude * ray.view(image.shape)).clamp(0, 1)
            passes += 1
            if int(model(point[None]).argmax(1)) != label:
                best = min(best, step)
                break
    return MAGNITUDES[best - 1], passes


@torch.inference_mode()
def by_direction(model: nn.Module, image: Tensor, label: int, rays: Tensor) -> tuple[float, int]:
    """Return the same of a loop in which a pass has all magnitudes of a direction."""
    lengths = torch.tensor([*MAGNITUDES, MAGNITUDES[-1]])[:, None, None, None]  # 64, a whole pass
    best = len(MAGNITUDES)
    for ray in rays:
        said = model((image + lengths * ray.view(image.shape)).clamp(0, 1)).argmax(1)[:-1]
        away = (said != label).nonzero()[:, 0]
        best = min(best, int(away[0]) + 1) if len(away) else best
    return MAGNITUDES[best - 1], len(rays)


def timed(function, *arguments, **named):
    """Return what a function does, and the processor time it takes."""
    start = time.process_time()
    found = function(*arguments, **named)
    return found, time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path, help="folder of a model")
    parser.add_argument("images", type=Path, help="folder of an image set in the model's view")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--directions", type=int, default=1000)
    parser.add_argument("--looped", type=int, default=3, help="images that the loops are timed on")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    model, _ = load_model(asked.model)
    known = read_image_set(asked.images)
    chosen = drawn(known, asked.count, 1)
    images = as_tensor(known.images[chosen])
    labels = torch.from_numpy(known.index["label"].to_numpy()[chosen])
    rays = orthogonal(asked.directions, images[0].numel(), 0)
    batches = -(-len(rays) // WIDTH)  # passes that a magnitude takes
    readings, seconds = timed(ebd, model, images, labels, directions=asked.directions)
    right = readings[readings["status"] != "misclassified"]
    points = right["forwards"].mean() - 1
    print(
        f"scan: {len(images)} images, {len(rays)} directions, 64 magnitudes: {seconds:.0f} s, EBD "
        f"{readings['distance'].mean():.4f}, {points:,.0f} points in "
        f"{points / len(rays) * batches:,.0f} passes an image that is right"
    )
    loops = {
        "plain loop": lambda *own: loop(model, *own, rays, best_ends=False),
        "loop to the best so far": lambda *own: loop(model, *own, rays, best_ends=True),
        "loop with a direction a pass": lambda *own: by_direction(model, *own, rays),
    }
    figures = []
    for row in right["row"].to_numpy()[: asked.looped]:
        own = images[row : row + 1], labels[row : row + 1]
        scan, fast = timed(ebd, model, *own, directions=asked.directions)
        passes = (int(scan["forwards"][0]) - 1) / len(rays) * batches
        for name, by in loops.items():
            (distance, cost), slow = timed(by, own[0][0], int(own[1]))
            assert abs(distance - scan["distance"][0]) < 1e-12, (row, distance, scan)
            figures.append((name, cost, passes, slow, fast))
    for name in loops:
        # Ratios of sums: an image whose boundary is near would outweigh the others else.
        cost, passes, slow, fast = (sum(f[i] for f in figures if f[0] == name) for i in range(1, 5))
        print(
            f"{name}, the same distances on {asked.looped} images: {cost / asked.looped:,.0f} "
            f"passes an image, {cost / passes:.1f} times those of the scan, and {slow / fast:.1f} "
            f"times its time"
        )


if __name__ == "__main__":
    main()
