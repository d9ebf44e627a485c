"""Score a model's answers: how certain it is of each, by every score of the study."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robusteval import plugins
from robusteval.records import OK, Records, failed, read_records, write_records
from workflow_scripts._fitted import Fitted, fitted, score_of_features
from workflow_scripts._scores import PROBABILITY, UNSCORED

BLOCK = 10_000  # images at a time: in float64, 3.75 million of 1,000 classes would be 30 GB
PASSED_ON = ("left_out", "n", "seed", "torch", "device", "precision")  # of the settings
KEPT = ["image_id", "label", "prediction", "condition", "severity"]


def scored(
    records: Records, names: list[str], features: str = "", known: Fitted | None = None
) -> Records:
    """Return records with a column for each score in ``names`` in place of the logits.

    What gives a probability is among them, whether named or not. Scores of features take them from
    the file ``features``, a row a record, and what is ``known`` of the model's training images.

    A cell that could not be measured stays what it is; one with answers that cannot be scored, such
    as infinite logits, becomes one, with the reason. A score of features that this model does not
    have leaves the others alone: its values are NaN, and why is in the settings.
    """
    names = list(dict.fromkeys([*names, PROBABILITY]))
    settings: dict[str, Any] = {"scores": names}
    settings |= {key: records.settings[key] for key in PASSED_ON if key in records.settings}
    if known and known.about:
        settings["fitted_on"] = dict(known.about)
    if records.status != OK:
        return failed(records.status, settings)
    frame = records.frame[KEPT].reset_index(drop=True)
    columns, unscored = {}, {}
    for name in names:
        of_features = known is not None and known.has(name)
        try:
            if known is not None and of_features:
                columns[name] = score_of_features(name, features, records.logits, known)
            else:
                columns[name] = score_of(records.logits, name)
        except ValueError as error:
            if not of_features:
                return failed(str(error), settings)
            columns[name], unscored[name] = np.full(len(frame), np.nan), str(error)
    if unscored:
        settings[UNSCORED] = unscored
    return Records(frame.assign(**columns), np.empty((len(frame), 0), np.float32), OK, settings)


def score_of(logits: NDArray[np.float32], name: str) -> NDArray[np.float64]:
    """Return the score ``name`` (N,) of ``logits`` (N, K), block by block.

    Raises:
        ValueError: logits hold NaN or infinity, or there is no such score.
    """
    score = plugins.load("scores", name)
    starts = range(0, len(logits), BLOCK)
    return np.concatenate([score(logits[start : start + BLOCK]) for start in starts])


def score(
    records: list[str],
    names: list[str],
    outputs: list[str],
    features: list[str] | None = None,
    known: Fitted | None = None,
) -> None:
    """Write the scored cells of a model, one file a test, under the test's own name."""
    targets = {Path(path).stem: path for path in outputs}
    seen = {Path(path).stem: path for path in features or []}
    for path in records:
        test = Path(path).stem
        write_records(targets[test], scored(read_records(path), names, seen.get(test, ""), known))


def known_of(
    training: list[str], names: list[str], settings: Mapping[str, Mapping[str, Any]]
) -> Fitted | None:
    """Return what scores of features know of a model, or None if the study has no such score."""
    return fitted(training[0], names, settings) if training else None


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        score(
            list(snakemake.input.records),
            snakemake.params.scores,
            list(snakemake.output),
            list(snakemake.input.features),
            known_of(
                list(snakemake.input.training), snakemake.params.scores, snakemake.params.settings
            ),
        )
