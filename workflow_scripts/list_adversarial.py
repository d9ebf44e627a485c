"""List what each attack made of a model."""

from pathlib import Path

from workflow_scripts._job import job
from workflow_scripts._lists import write_list

if __name__ == "__main__":
    with job(snakemake):
        sets = Path(snakemake.output.sets)
        folders = [sets.with_suffix("") / attack for attack in snakemake.params.attacks]
        write_list(sets, [folder / "card.json" for folder in folders])
