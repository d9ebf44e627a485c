# robusteval: how robust are image classifiers?
#
# snakemake --cores all --resources gpu=4                    the demo, config/demo.yaml
# snakemake --cores all --configfile config/tiny.yaml        another study
#
# results/images/{images}/{view}/                            an image set, shared by all studies
# results/models/{model}/                                    a model, shared by all studies
# results/<study>/images/{view}/{test}/{images}/             a corrupted or unknown image set
# results/<study>/checks/{model}.json                        what is odd about a model
# results/<study>/records/{model}/{test}.parquet             a cell: what a model said, image by image
# results/<study>/adversarial/{model}/{attack}/              images made against a model, and their costs
# results/<study>/transfer/{attack}/{model}.parquet          what a model said about all sources' images
# results/<study>/probes/{model}/{probe}.parquet              what a probe read inside a model
# results/<study>/neurons/{model}/                           the ranges of its neurons over its training images
# results/<study>/coverage/{model}.parquet                   what image sets hit of its neurons
# results/<study>/visibility/{model}.parquet                 how visible the changes are that attacks made
# results/<study>/scores/{model}/{test}.parquet              how certain it was, by every score
# results/<study>/tables/{table}.csv                         numbers
# results/<study>/figures/{figure}.{svg,pdf,png}             figures
# results/<study>/report.html                                tables and figures in one page
# results/<study>/exports/                                   the same for published boards, if asked for

from snakemake.utils import min_version

min_version("9.20")


include: "rules/common.smk"


pathvars:
    study=f"results/{config['study']}",
    clean=f"results/images/{config['images']}",


include: "rules/inputs.smk"
include: "rules/folders.smk"
include: "rules/images.smk"
include: "rules/derived.smk"
include: "rules/models.smk"
include: "rules/checks.smk"
include: "rules/cells.smk"
include: "rules/attacks.smk"
include: "rules/transfer.smk"
include: "rules/probes.smk"
include: "rules/framework.smk"
include: "rules/tables.smk"
include: "rules/scores.smk"
include: "rules/dar.smk"
include: "rules/methods.smk"
include: "rules/laws.smk"
include: "rules/figures.smk"
include: "rules/examples.smk"
include: "rules/published.smk"
include: "rules/exports.smk"
include: "rules/report.smk"


report: "report/study.rst"


rule published:
    """Published numbers recomputed from each other: no image, no model, seconds."""
    input:
        "results/published/tables/recomputed.csv",
        "results/published/figures/effective_robustness.svg",


rule exports:
    """All of the study that other boards take, and the BibTeX file."""
    input:
        EXPORTS,


rule all:
    """Everything of the study: tables, figures and the report."""
    default_target: True
    input:
        "<study>/report.html",


onsuccess:
    from robusteval.published.verdicts import verdicts

    tables = [f"results/{config['study']}/tables/published.csv"]
    if "published" in workflow.dag_settings.targets:
        tables = rules.published.input[:1]
    print(*map(verdicts, tables), sep="", end="", file=sys.stderr)
