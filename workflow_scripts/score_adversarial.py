"""Score a model's answers to the images made against itself."""

from itertools import repeat

from robusteval.records import read_records, write_records
from workflow_scripts._fitted import Fitted
from workflow_scripts._tables import own
from workflow_scripts.score import known_of, scored


def score_adversarial(
    transfers: list[str],
    model: str,
    names: list[str],
    outputs: list[str],
    features: list[str] | None = None,
    known: Fitted | None = None,
) -> None:
    """Write the scored cell of each attack on ``model``; transfer records have all sources."""
    places = features or repeat("", len(transfers))
    for transfer, place, output in zip(transfers, places, outputs, strict=True):
        write_records(output, scored(own(read_records(transfer), model), names, place, known))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        score_adversarial(
            list(snakemake.input.transfers),
            snakemake.wildcards.model,
            snakemake.params.scores,
            list(snakemake.output),
            list(snakemake.input.features),
            known_of(
                list(snakemake.input.training), snakemake.params.scores, snakemake.params.settings
            ),
        )
