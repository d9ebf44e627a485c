"""List what each attack made of a model."""

from pathlib import Path

from workflow_scripts._job import job
from workflow_scripts._lists import write_list

if __name__ == "__main__":
    with job(snakemake):
        write_list(Path(snakemake.output.sets), map(Path, snakemake.input.cards))
