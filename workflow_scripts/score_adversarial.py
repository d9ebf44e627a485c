"""Score a model's answers to the images made against itself."""

from robusteval.records import read_records, write_records
from workflow_scripts._tables import own
from workflow_scripts.score import scored


def score_adversarial(transfer: str, model: str, names: list[str], output: str) -> None:
    """Write the scored cell of an attack on ``model``; its transfer records have all sources."""
    write_records(output, scored(own(read_records(transfer), model), names))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        score_adversarial(
            snakemake.input.transfer,
            snakemake.wildcards.model,
            snakemake.params.scores,
            snakemake.output.scored,
        )
