"""Draw accuracy against distortion again, on the images that every model gets right."""

from workflow_scripts._populations import COMMON
from workflow_scripts.draw_laws import draw_laws, norms_of

if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_laws(
            snakemake.input.points,
            snakemake.input.laws,
            COMMON,
            norms_of(snakemake.params.attacks),
            list(snakemake.output),
        )
