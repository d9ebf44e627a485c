"""Score a model's answers: how certain it is of each, by every score of the study."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval import plugins
from robusteval.records import OK, Records, failed, read_records, write_records
from workflow_scripts._scores import PROBABILITY

BLOCK = 10_000  # images at a time: in float64, 3.75 million of 1,000 classes would be 30 GB
PASSED_ON = ("left_out", "n", "seed", "torch", "device", "precision")  # of the settings
KEPT = ["image_id", "label", "prediction", "condition", "severity"]


def scored(records: Records, names: list[str]) -> Records:
    """Return records with a column for each score in ``names`` in place of the logits.

    What gives a probability is among them, whether named or not.

    A cell that could not be measured stays what it is; one with answers that cannot be scored, such
    as infinite logits, becomes one, with the reason.
    """
    names = list(dict.fromkeys([*names, PROBABILITY]))
    settings: dict[str, Any] = {"scores": names}
    settings |= {key: records.settings[key] for key in PASSED_ON if key in records.settings}
    if records.status != OK:
        return failed(records.status, settings)
    frame = records.frame[KEPT].reset_index(drop=True)
    try:
        columns = {name: score_of(records.logits, name) for name in names}
    except ValueError as error:
        return failed(str(error), settings)
    return Records(frame.assign(**columns), np.empty((len(frame), 0), np.float32), OK, settings)


def score_of(logits: NDArray[np.float32], name: str) -> NDArray[np.float64]:
    """Return the score ``name`` (N,) of ``logits`` (N, K), block by block.

    Raises:
        ValueError: logits hold NaN or infinity, or there is no such score.
    """
    score = plugins.load("scores", name)
    starts = range(0, len(logits), BLOCK)
    return np.concatenate([score(logits[start : start + BLOCK]) for start in starts])


def score(records: list[str], names: list[str], outputs: list[str]) -> None:
    """Write the scored cells of a model, one file a test, under the test's own name."""
    targets = {Path(path).stem: path for path in outputs}
    for path in records:
        write_records(targets[Path(path).stem], scored(read_records(path), names))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        score(list(snakemake.input.records), snakemake.params.scores, list(snakemake.output))
