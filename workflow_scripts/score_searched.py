"""Score a model's answers to the valid images that were searched against itself."""

from pathlib import Path

import pandas as pd

from robusteval.records import OK, Records, failed, read_records, write_records
from workflow_scripts._fitted import Fitted
from workflow_scripts.score import known_of, scored


def own_searched(transfer: Records, model: str, search: str) -> Records:
    """Return what a model says about all images that a search against itself ended with."""
    status = transfer.settings["missing"].get(f"{model}.{search}", transfer.status)
    if status != OK:
        return failed(status, transfer.settings)
    frame = transfer.frame
    rows = ((frame["source"] == model) & (frame["search"] == search)).to_numpy()
    return Records(
        frame[rows].reset_index(drop=True), transfer.logits[rows], settings=transfer.settings
    )


def measured(cell: Records, own: pd.DataFrame, condition: str) -> Records:
    """Return the rows of a scored cell that PA counts, given all that was said of its ``own``.

    A model against which nothing valid was found has a cell that says so.
    """
    if cell.status != OK:
        return cell
    rows = (own["valid"] & (own["condition"] == condition)).to_numpy()
    if not rows.any():
        return failed("no valid image", cell.settings)
    frame = cell.frame[rows].reset_index(drop=True)
    return Records(frame, cell.logits[rows], OK, cell.settings)


def score_searched(
    transfer: str,
    condition: str,
    names: list[str],
    output: str,
    features: str = "",
    known: Fitted | None = None,
) -> None:
    """Write the scored cell of a search against a model, of its valid images under a ``condition``.

    ``transfer`` has the answers to all conditions and sources; the file of ``features``, if scores
    look at that, a row for each image searched against the model itself.
    """
    own = own_searched(read_records(transfer), Path(transfer).stem, Path(output).stem)
    cell = scored(own, names, features, known)
    write_records(output, measured(cell, own.frame, condition))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        names = snakemake.params.scores
        score_searched(
            snakemake.input.transfers,
            snakemake.params.condition,
            names,
            snakemake.output.scores,
            next(iter(snakemake.input.features), ""),
            known_of(list(snakemake.input.training), names, snakemake.params.settings),
        )
