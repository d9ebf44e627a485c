# robusteval: how robust are image classifiers?
#
# snakemake --cores all --resources gpu=4                    the demo, config/demo.yaml
# snakemake --cores all --configfile config/tiny.yaml        another study
#
# results/images/{images}/{view}/                            an image set, shared by all studies
# results/models/{model}/                                    a model, shared by all studies
# results/models/{model}/searched/                           images that it was trained on beside its own
# results/<study>/images/{view}/{test}/{images}/             a corrupted or unknown image set
# results/<study>/checks/{model}.json                        what is odd about a model
# results/<study>/records/{model}/{test}.parquet             a cell: what a model said, image by image
# results/<study>/adversarial/{model}/{attack}/              images made against a model, and their costs
# results/<study>/unmasked/{model}.parquet                   what Square made of it where gradients were 0
# results/<study>/transfer/{attack}/{model}.parquet          what a model said about all sources' images
# results/<study>/{adversarial,transfer}/{model}.list        the names and hashes of all attacks' files
# results/<study>/probes/{model}/{probe}.parquet              what a probe read inside a model
# results/<study>/features/{model}/{test}.npy                what its last layer took, if a score looks at that
# results/<study>/neurons/{model}/                           the ranges of its neurons over its training images
# results/<study>/coverage/{model}.parquet                   what image sets hit of its neurons
# results/generators/{generator}/                            a generator, shared by all studies
# results/<study>/searched/{model}/{test}/                   images searched against a model, an image set
# results/<study>/transfer_searched/{model}.parquet          what a model said about all of those
# results/<study>/visibility/{model}.parquet                 how visible the changes are that attacks made
# results/<study>/scores/{model}/{test}.parquet              how certain it was, by every score
# results/<study>/tables/{table}.{csv,json}                  numbers, and where they come from
# results/<study>/figures/{figure}.{svg,pdf,png}             figures
# results/<study>/report.html                                tables and figures in one page
# results/<study>/manifest.json                              every file and its hash
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
include: "rules/defences.smk"
include: "rules/checks.smk"
include: "rules/cells.smk"
include: "rules/attacks.smk"
include: "rules/transfer.smk"
include: "rules/probes.smk"
include: "rules/framework.smk"
include: "rules/searched_inputs.smk"
include: "rules/generators.smk"
include: "rules/searches.smk"
include: "rules/searched_training.smk"
include: "rules/fmr.smk"
include: "rules/tables.smk"
include: "rules/features.smk"
include: "rules/scores.smk"
include: "rules/detection.smk"
include: "rules/dar.smk"
include: "rules/methods.smk"
include: "rules/laws.smk"
include: "rules/figures.smk"
include: "rules/examples.smk"
include: "rules/published.smk"
include: "rules/exports.smk"
include: "rules/report.smk"
include: "rules/manifest.smk"
include: "rules/metrics.smk"


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


rule shared:
    """Models and image sets that studies share; `python -m robusteval run` makes them first."""
    input:
        shared(),


rule all:
    """Everything of the study: tables, figures and the report."""
    default_target: True
    input:
        "<study>/report.html",
        "<study>/manifest.json",


onsuccess:
    from robusteval.published.verdicts import verdicts

    tables = [f"results/{config['study']}/tables/published.csv"]
    if "published" in workflow.dag_settings.targets:
        tables = rules.published.input[:1]
    print(*map(verdicts, tables), sep="", end="", file=sys.stderr)
