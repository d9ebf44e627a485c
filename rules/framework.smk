"""The evaluation framework: what images do to a model's neurons, behaviour, twins, one page a model.

INPUTS: results/models/{model}/, all image sets of the study, <study>/adversarial/, records
OUTPUTS: <study>/neurons/{model}/, <study>/coverage/{model}.parquet, <study>/tables/, <study>/figures/
"""


rule cover:
    """Profile a model's neurons over its training images, and say what every image set hits."""
    input:
        model="results/models/{model}/card.json",
        profiled=profiled_images,
        clean=clean_of,
        sets=covered_sets,
        adversarial=expand("<study>/adversarial/{{model}}/{attack}/card.json", attack=ATTACKS),
        builder=model_code,
        code=code_of("workflow_scripts/cover.py"),
    output:
        # The ranges are kept in <study>/neurons/{model}/, for all sets that come to the study.
        records="<study>/coverage/{model}.parquet",
    log:
        "<study>/logs/cover/{model}.log",
    benchmark:
        "<study>/benchmarks/cover/{model}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        profile_count=profile_count,
        profile_seed=profile_seed,
        choice={key: FRAMEWORK[key] for key in CHOICE if key in FRAMEWORK},
        tests=[(test, len(TESTS[test]["sets"])) for test in COVERED],
        n=lookup(dpath="images", within=FRAMEWORK, default=1),
        seed=config["seed"],
        how={key: FRAMEWORK[key] for key in HITS if key in FRAMEWORK},
        batch_size=lookup(dpath="batch_size", within=config, default=64),
    script:
        "../workflow_scripts/cover.py"


rule tabulate_coverage:
    """Tabulate the coverage of a model's neurons by each image set."""
    input:
        records=expand("<study>/coverage/{model}.parquet", model=MODELS),
        code=code_of("workflow_scripts/tabulate_coverage.py"),
    output:
        table=table("<study>/tables/coverage.csv", "framework", "coverage of neurons"),
    log:
        "<study>/logs/tabulate_coverage.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/tabulate_coverage.py"
