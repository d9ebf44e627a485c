"""How fast images of 224 pixels are corrupted, beside imagecorruptions-imaug 1.1.5.

Bars: at least 5 times the images per second in total, no corruption more than a tenth slower. Both
run in turn, one thread each, in a process of their own over the same images at all five severities;
figures are medians of the rounds. The peer needs an environment of its own:

    python -m venv peer && peer/bin/pip install imagecorruptions-imaug==1.1.5
    python benchmarks/corruptions.py --peer peer/bin/python
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PHOTOGRAPH = ROOT / "tests" / "fixtures" / "corruptions" / "imagenet_c.npz"
IMAGES, SEVERITIES, FAMILY = 32, (1, 2, 3, 4, 5), "imagenet_c"
LIBRARIES = ("OMP", "OPENBLAS", "MKL", "NUMBA", "OPENCV_FOR")
ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in LIBRARIES}
COPIES = 16  # of the images in a stream
BAR, SLOWEST = 5.0, 1 / 1.1


class Server:
    """A process that measures when it is asked to; the two sides' processes wait for each other."""

    def __init__(self, python: str, side: str, images: Path) -> None:
        self.process = subprocess.Popen(
            [python, __file__, "--serve", side, str(images)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | ONE_THREAD,
        )  # fmt: skip

    def ask(self, *question: Any) -> None:
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.process.args[0]} ended; its message stands above")
        return json.loads(line)

    def __call__(self, *question: Any) -> Any:
        self.ask(*question)
        return self.answer()

    def end(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return the wall time and the processor time of ``work`` in seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def serve(side: str, images_path: str) -> None:
    """Answer questions, a line of JSON each: (corruption, severity, images), or what ours adds."""
    import numpy as np

    images = np.load(images_path, mmap_mode="r" if side == "ours" else None)
    if side == "peer":
        import cv2
        from imagecorruptions import corrupt as peer_corrupt

        cv2.setNumThreads(1)

        def run(corruption: str, severity: int, count: int) -> object:
            return [peer_corrupt(image, severity, corruption) for image in images[:count]]
    else:
        sys.path.insert(0, str(ROOT))
        from robusteval.corruptions._apply import corrupt
        from robusteval.corruptions._severities import FAMILIES
        from robusteval.corruptions._stream import Generators, stream

        def run(corruption: str, severity: int, count: int) -> object:
            generators = Generators(0, corruption, severity, np.arange(count))
            return corrupt(images[:count], corruption, severity, generators, family=FAMILY)

        def streamed(corruption: str, workers: int) -> float:
            """Return the seconds an image once all workers have started."""
            rows = np.arange(COPIES * len(images)) % len(images)
            blocks = stream(
                images, corruption, (3,), 0, np.arange(len(rows)), family=FAMILY, rows=rows,
                workers=workers,
            )  # fmt: skip
            for _ in range(2 * workers):
                next(blocks)
            start = time.perf_counter()
            done = sum(len(block) for block in blocks)
            return (time.perf_counter() - start) / done

    answer: Any
    target, number = np.empty_like(images), np.empty(images.shape[1:], np.float32)
    for line in sys.stdin:
        match json.loads(line):
            case ["names"]:
                answer = list(FAMILIES[FAMILY])
            case ["copy"]:
                answer = timed(lambda: np.copyto(target, images))
            case ["float pass"]:
                answer = timed(
                    lambda: [
                        (np.copyto(number, a), np.copyto(b, number, casting="unsafe"))
                        for a, b in zip(images, target, strict=True)
                    ]
                )
            case ["stream", corruption, workers]:
                answer = streamed(corruption, workers)
            case [corruption, severity, count]:
                try:
                    answer = timed(lambda q=(corruption, severity, count): run(*q))
                except (ValueError, OSError, KeyError) as error:
                    answer = str(error) or type(error).__name__
        print(json.dumps(answer), flush=True)


def photographs(path: Path) -> None:
    """Write 32 images made of the one photograph at hand: turned, mirrored and shifted."""
    import numpy as np

    with np.load(PHOTOGRAPH) as arrays:
        image = arrays["inputs"][0]
    turned = [np.rot90(side, k) for side in (image, image[:, ::-1]) for k in range(4)]
    np.save(path, np.stack([np.roll(t, 56 * k, (0, 1)) for t in turned for k in range(4)]))


def measured(ours: Server, peer: Server, rounds: int) -> dict[str, list[list[float]]]:
    """Return by corruption (our wall, our cpu, the peer's wall, its cpu), ms an image, a round."""
    rows: dict[str, list[list[float]]] = {}
    for corruption in ours("names"):
        first = [side(corruption, s, 1) for s in SEVERITIES for side in (ours, peer)]  # warms up
        if problems := [answer for answer in first if isinstance(answer, str)]:
            sys.exit(f"{corruption}: {problems[0]}")
        rows[corruption] = []
        for _ in range(rounds):
            pairs = [ours(corruption, s, IMAGES) + peer(corruption, s, IMAGES) for s in SEVERITIES]
            images = len(SEVERITIES) * IMAGES
            rows[corruption].append([1000 * sum(times) / images for times in zip(*pairs)])  # noqa: B905
    return rows


def report(rows: dict[str, list[list[float]]], floors: dict[str, float]) -> None:
    """Print the table; ratios are medians over the rounds of the peer's time over ours."""
    print(f"\n{'ms an image':18}{'ours':>8}{'peer':>8}{'ratio':>8}{'cpu ratio':>11}{'copy':>8}")
    for corruption, by_round in (rows | {"total": total(rows)}).items():
        wall, _, peer_wall, _ = (statistics.median(v) for v in zip(*by_round))  # noqa: B905
        ratio = statistics.median(r[2] / r[0] for r in by_round)
        cpu_ratio = statistics.median(r[3] / r[1] for r in by_round)
        copies = 1 if corruption != "total" else len(rows)
        mark = "" if ratio >= (BAR if corruption == "total" else SLOWEST) else "  below the bar"
        print(
            f"{corruption:18}{wall:8.2f}{peer_wall:8.2f}{ratio:8.2f}{cpu_ratio:11.2f}"
            f"{copies * floors['copy'] / wall:8.1%}{mark}"
        )
    print(
        "copy: share of the time that moving the bytes alone takes, "
        + ", ".join(f"{name} {1000 * ms:.0f} us an image" for name, ms in floors.items())
    )


def main(arguments: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.images or Path(folder) / "images.npy"
        if not arguments.images:
            photographs(path)
        ours, peer = Server(sys.executable, "ours", path), Server(arguments.peer, "peer", path)
        floors = {
            name: statistics.median(1000 * ours(name)[0] / IMAGES for _ in range(20))
            for name in ("copy", "float pass")
        }
        rows = measured(ours, peer, arguments.rounds)
        report(rows, floors)
        peer.end()
        other = Server(sys.executable, "ours", path)
        gains((ours, other), rows, arguments.rounds)
        ours.end(), other.end()


def gains(servers: tuple[Server, Server], corruptions: Iterable[str], rounds: int) -> None:
    """Print what a second process brings to a stream, and to two programs side by side.

    The latter is what the machine has to give while it may be busy otherwise.
    """
    rows: dict[str, list[list[float]]] = {}
    for corruption in corruptions:
        rows[corruption] = []
        for _ in range(rounds):
            one, two = (servers[0]("stream", corruption, workers) for workers in (1, 2))
            for server in servers:
                server.ask("stream", corruption, 1)
            beside = sum(1 / server.answer() for server in servers)
            rows[corruption].append([one, two, 1 / beside])
    print(f"\n{'2 processes':18}{'a stream':>14}{'2 programs':>14}   times as fast as 1")
    for name, by_round in (rows | {"total": total(rows)}).items():
        stream = statistics.median(one / two for one, two, _ in by_round)
        beside = statistics.median(one / both for one, _, both in by_round)
        print(f"{name:18}{stream:14.2f}{beside:14.2f}")


def total(rows: dict[str, list[list[float]]]) -> list[list[float]]:
    """Return by round the sums of ``rows`` over the corruptions."""
    return [[sum(v) for v in zip(*r)] for r in zip(*rows.values())]  # noqa: B905


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(*sys.argv[2:])
    else:
        parser = argparse.ArgumentParser(
            description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        parser.add_argument("--peer", required=True, help="python that has the peer installed")
        parser.add_argument("--rounds", type=int, default=5)
        parser.add_argument("--images", type=Path, help=".npy of 32 images, uint8, N x H x W x C")
        main(parser.parse_args())
