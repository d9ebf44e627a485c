"""DAR of one model from its scored cells: the threshold, the decisions, and means over them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robusteval.clustered import Influence, half_width, influence
from robusteval.intervals import wilson
from robusteval.metrics._decisions import right_decisions
from robusteval.metrics.acceptance_threshold import acceptance_threshold
from robusteval.metrics.dar import dar
from robusteval.metrics.mean_dar import mean_dar
from robusteval.records import OK, Records
from robusteval.seeds import generator
from workflow_scripts._scores import Cells, clean_of, parts, with_score
from workflow_scripts._tables import percent

KINDS = ("clean", "corrupt", "adversarial", "novel", "unrecognisable")
KNOWN, UNKNOWN = KINDS[:3], KINDS[3:]
BESIDE = "searched"  # a kind that the published score does not have: in no mean over kinds
VALUE = "dar_pct_higher_better"
OPTIONS = ["score", "calibration", "mask", "target_rate", "rejected_mistake", "averaging"]
RATE = ["n", VALUE, "low95_pct", "high95_pct", "interval"]
MISSING = "a kind is missing"

Options = Mapping[str, Any]
"""A value for each of OPTIONS."""


@dataclass(frozen=True)
class ImageSet:
    """An image set as a model decided on it; without images where ``status`` says why."""

    kind: str
    test: str
    condition: str = ""
    severity: int = 0
    image: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))  # (N,) ids
    right: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, bool))  # (N,)
    dar: float = float("nan")  # in [0, 1]
    status: str = OK


@dataclass(frozen=True)
class Decided:
    """A model's threshold and decisions."""

    threshold: float  # NaN where there is none
    calibrated_on: int  # images
    sets: list[ImageSet]


@dataclass(frozen=True)
class Mean:
    """A mean over image sets; its value is NaN where ``status`` says why."""

    value: float
    sets: int
    n: int
    influence: Influence | None = None
    status: str = OK
    of_one: bool = False  # set whose images are all distinct: a rate

    def columns(self) -> dict[str, Any]:
        """Return n, the value and its interval in percent, and the status, as columns."""
        if self.status != OK or self.influence is None:
            return {"sets": self.sets, "n": 0, "status": self.status}
        interval = "normal over images"
        if self.of_one or self.value in (0, 1):  # where all are alike, the normal one has no width
            images = len(self.influence.image)
            low, high = wilson(round(self.value * images), images)
            interval = "wilson" if self.of_one else "wilson over images"
        else:
            half = half_width(self.influence)
            low, high = max(0.0, self.value - half), min(1.0, self.value + half)
        return {
            "sets": self.sets,
            "n": self.n,
            VALUE: percent(self.value),
            "low95_pct": percent(low),
            "high95_pct": percent(high),
            "interval": interval,
            "status": OK,
        }


def calibration(
    clean: pd.DataFrame, options: Options, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the clean images to calibrate on, and those of the clean test.

    ``clean``: they are the same, all. ``held_out``: a half drawn by the study's seed, the same for
    every model, and the rest.

    Raises:
        ValueError: there is one clean image, which has no half.
    """
    if options["calibration"] == "clean":
        return clean, clean
    ids = np.unique(clean["image_id"].to_numpy())
    if len(ids) < 2:
        raise ValueError(f"{len(ids)} clean images: expected at least 2 to hold one out")
    drawn = generator(seed, "dar", "held_out").permutation(ids)[: len(ids) // 2]
    held = clean["image_id"].isin(drawn)
    return clean[held], clean[~held]


def decide(cells: Cells, kinds: Mapping[str, str], options: Options, seed: int) -> Decided:
    """Return a model's decisions on every image set, by the threshold of its clean images.

    A model without a threshold, such as one with too few clean images, decides on nothing: each of
    its tests says why.
    """
    score = options["score"]
    cells = {test: with_score(records, score) for test, records in cells.items()}
    clean = clean_of(cells, dict(kinds))
    reason, threshold, calibrated_on = clean.status, float("nan"), 0
    test = clean.frame
    if clean.status == OK:
        try:
            known, test = calibration(clean.frame, options, seed)
            threshold = acceptance_threshold(
                known[score].to_numpy(),
                (known["prediction"] == known["label"]).to_numpy(),
                target_rate=options["target_rate"],
                mask=options["mask"],
            )
            calibrated_on = len(known)
        except ValueError as error:
            reason = f"no threshold: {error}"
    sets: list[ImageSet] = []
    for name, records in cells.items():
        status = records.status if records.status != OK else reason
        if status != OK:
            sets.append(ImageSet(kinds[name], name, status=status))
            continue
        if kinds[name] == "clean":
            records = Records(test, records.logits)
        sets += _decided(records, kinds[name], name, threshold, options)
    return Decided(threshold, calibrated_on, sets)


def _decided(
    records: Records, kind: str, test: str, threshold: float, options: Options
) -> Iterator[ImageSet]:
    for condition, severity, frame in parts(records):
        said = [frame[key].to_numpy() for key in (options["score"], "label", "prediction")]
        how = {"rejected_mistake": options["rejected_mistake"]}
        yield ImageSet(
            kind,
            test,
            condition,
            severity,
            frame["image_id"].to_numpy(),
            right_decisions(*said, threshold, **how),
            dar(*said, threshold, **how),
        )


def mean_over(sets: Sequence[ImageSet], averaging: str) -> Mean:
    """Return the mean DAR over ``sets`` of one kind or several; of nothing if one is broken."""
    if bad := [one.status for one in sets if one.status != OK]:
        status = bad[0] if len({one.kind for one in sets}) == 1 else MISSING
        return Mean(float("nan"), len(sets), 0, status=status)
    value = np.array([one.dar for one in sets])
    kind = np.array([one.kind for one in sets])
    n = np.array([len(one.right) for one in sets])
    # The mean is linear in its values: a set weighs what the mean of 1 there and 0 elsewhere is.
    weights = [mean_dar(unit, kind, n, averaging=averaging) for unit in np.eye(len(sets))]
    shares = influence([one.right for one in sets], [one.image for one in sets], weights)
    distinct = len(sets) == 1 and len(shares.image) == n[0]
    mean = mean_dar(value, kind, n, averaging=averaging)
    return Mean(mean, len(sets), int(n.sum()), shares, of_one=distinct)


def means(sets: Sequence[ImageSet], averaging: str) -> dict[str, Mean]:
    """Return the mean DAR of each kind of data there is, and as "mean" that over the five kinds."""
    found = {}
    for kind in (*KINDS, BESIDE):
        if own := [one for one in sets if one.kind == kind]:
            found[kind] = mean_over(own, averaging)
    return {**found, "mean": mean_over([one for one in sets if one.kind in KINDS], averaging)}


def printed(options: Options) -> dict[str, Any]:
    """Return the options as columns."""
    return {name: options[name] for name in OPTIONS}
