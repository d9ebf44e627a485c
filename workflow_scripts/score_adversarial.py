"""Score a model's answers to the images made against itself."""

from robusteval.records import read_records, write_records
from workflow_scripts._tables import own
from workflow_scripts.score import scored


def score_adversarial(
    transfers: list[str], model: str, names: list[str], outputs: list[str]
) -> None:
    """Write the scored cell of each attack on ``model``; transfer records have all sources."""
    for transfer, output in zip(transfers, outputs, strict=True):
        write_records(output, scored(own(read_records(transfer), model), names))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        score_adversarial(
            list(snakemake.input.transfers),
            snakemake.wildcards.model,
            snakemake.params.scores,
            list(snakemake.output),
        )
