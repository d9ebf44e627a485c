"""What scores and metrics of a model cost: 50,000 known images, 1,000 classes, 5 unknown sets.

Bar: all scores of logits and all metrics from them in at most 5 minutes on 2 cores and 8 GiB. The
images are made up, with the sizes of ImageNet: features of 512 numbers and a linear last layer, in
float32 on disk; five unknown sets of 10,000. Scores of features, fitted on 10,000 images, and the
time to make the data are beside the bar. Peak memory counts the pages of the files that are read.

    python benchmarks/metrics.py
"""

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from robusteval import plugins
from robusteval.feature_scores._fit import fit
from robusteval.feature_scores._training import Training
from robusteval.metrics.acceptance_threshold import acceptance_threshold
from robusteval.metrics.accuracy import accuracy
from robusteval.metrics.adaptive_calibration_error import adaptive_calibration_error
from robusteval.metrics.augrc import augrc
from robusteval.metrics.aupr import aupr
from robusteval.metrics.aurc import aurc
from robusteval.metrics.auroc import auroc
from robusteval.metrics.dar import dar
from robusteval.metrics.ece import ece
from robusteval.metrics.fpr_at_tpr import fpr_at_tpr
from robusteval.metrics.oscr import oscr
from robusteval.scores.max_softmax import max_softmax

CLASSES, SIZE, BLOCK, TRAINING, BAR = 1000, 512, 2000, 10_000, 300
SETTINGS = {"knn": {"k": 5}}  # there are 10 training images a class: the 50th is of another
MASKS = ("correct", "all")
SETS = {"known": 50_000} | {f"unknown_{i}": 10_000 for i in range(5)}


def make(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Write features, logits and labels of each set and of training, return the last layer."""
    rng = np.random.default_rng(0)
    means = np.maximum(rng.standard_normal((CLASSES, SIZE), np.float32), 0)
    weight, bias = (means - means.mean(axis=0)) / 4, np.zeros(CLASSES, np.float32)
    for name, n in {**SETS, "training": TRAINING}.items():
        labels = np.arange(n) % CLASSES
        files = {
            kind: np.lib.format.open_memmap(
                folder / f"{name}_{kind}.npy", "w+", np.float32, (n, width)
            )
            for kind, width in (("features", SIZE), ("logits", CLASSES))
        }
        for start in range(0, n, BLOCK):
            rows = slice(start, start + BLOCK)
            own = means[labels[rows]]
            if name.startswith("unknown"):  # of no class: each feature from another one
                own = rng.permuted(own, axis=0)
            drawn = rng.standard_normal(own.shape, np.float32)
            files["features"][rows] = np.maximum(own + 1.5 * drawn, 0)
            files["logits"][rows] = files["features"][rows] @ weight.T + bias
        np.save(folder / f"{name}_labels.npy", labels if name in ("known", "training") else -1)
    return weight, bias


def read(folder: Path, name: str, kind: str) -> np.ndarray:
    return np.load(folder / f"{name}_{kind}.npy", mmap_mode="r")


def metrics(
    score: dict[str, np.ndarray], label: np.ndarray, prediction: dict[str, np.ndarray]
) -> Iterator[tuple[str, float]]:
    """Yield every metric that a score goes into, by name."""
    known, correct = score["known"], label == prediction["known"]
    yield "aurc", aurc(known, correct)
    yield "augrc", augrc(known, correct)
    thresholds = {mask: acceptance_threshold(known, correct, mask=mask) for mask in MASKS}
    for mask, t in thresholds.items():
        yield f"dar {mask}", dar(known, label, prediction["known"], t)
    for name in list(SETS)[1:]:
        unknown, labels = score[name], np.full(SETS[name], -1)
        yield f"auroc {name}", auroc(known, unknown)
        yield f"oscr {name}", oscr(known, correct, unknown)
        for positive in ("known", "unknown"):
            yield f"aupr {name}", aupr(known, unknown, positive=positive)
            yield f"fpr {name}", fpr_at_tpr(known, unknown, positive=positive)
        for mask, t in thresholds.items():
            yield f"dar {mask} {name}", dar(unknown, labels, prediction[name], t)


def peak() -> float:
    """Return the largest memory so far, in GiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        folder, start = Path(made), time.perf_counter()
        weight, bias = make(folder)
        print(f"data made in {time.perf_counter() - start:.0f} s, {peak():.2f} GiB")

        total = start = time.perf_counter()
        label = np.load(folder / "known_labels.npy")
        prediction = {name: read(folder, name, "logits").argmax(axis=1) for name in SETS}
        probability = np.exp(max_softmax(read(folder, "known", "logits")))
        correct = prediction["known"] == label
        figures = accuracy(label, prediction["known"]), ece(probability, correct)
        adaptive = adaptive_calibration_error(probability, correct)
        print(
            f"predictions and calibration: {time.perf_counter() - start:.1f} s; accuracy "
            f"{figures[0]:.4f}, ECE {figures[1]:.4f}, adaptive {adaptive:.4f}"
        )
        for name in plugins.names("scores"):
            start = time.perf_counter()
            score = {s: plugins.load("scores", name)(read(folder, s, "logits")) for s in SETS}
            scored = time.perf_counter()
            found = dict(metrics(score, label, prediction))
            print(
                f"{name}: score {scored - start:.1f} s, {len(found)} metrics "
                f"{time.perf_counter() - scored:.1f} s; AUROC {found['auroc unknown_0']:.4f}"
            )
        total = time.perf_counter() - total
        print(f"scores of logits and metrics: {total:.0f} s (bar {BAR} s), {peak():.2f} GiB")

        kinds = ("features", "labels", "logits")
        training = Training(*(read(folder, "training", kind) for kind in kinds), weight, bias)
        for name in plugins.names("feature_scores"):
            start = time.perf_counter()
            statistics = fit(name, training, **SETTINGS.get(name, {}))
            fitted = time.perf_counter()
            function = plugins.load("feature_scores", name)
            score = {
                s: function(read(folder, s, "features"), read(folder, s, "logits"), statistics)
                for s in SETS
            }
            scored = time.perf_counter()
            found = dict(metrics(score, label, prediction))
            print(
                f"{name}: fit {fitted - start:.1f} s, score {scored - fitted:.1f} s, metrics "
                f"{time.perf_counter() - scored:.1f} s; AUROC {found['auroc unknown_0']:.4f}"
            )
        print(f"with scores of features: {peak():.2f} GiB")


if __name__ == "__main__":
    main()
