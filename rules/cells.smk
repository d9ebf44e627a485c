"""Cells: what a model says about the images of a test.

INPUTS: results/models/{model}/, the image sets of the test
OUTPUTS: <study>/records/{model}/{test}.parquet, <study>/sequences/{model}/{test}.parquet,
    <study>/features/{model}/{test}.npy if the study has a score of features
"""


rule evaluate:
    """Run a model over the images of a test and keep every logit."""
    input:
        model="results/models/{model}/card.json",
        images=image_sets,
        novel=novel_check,
        builder=model_code,
        code=code_of("workflow_scripts/evaluate.py"),
    output:
        records="<study>/records/{model}/{test}.parquet",
        features=FEATURES,
    log:
        "<study>/logs/evaluate/{model}/{test}.log",
    benchmark:
        "<study>/benchmarks/evaluate/{model}/{test}.tsv"
    wildcard_constraints:
        test=one_of([test for test in CELLS if test not in STREAMED]),
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=growing(8000),
        runtime=growing(2 * 60),
    params:
        names=value_of("{test}/sets", within=TESTS, default=None),
        n=count,
        own=own_counts,
        seed=config["seed"],
        batch_size=value_of("batch_size", within=config, default=64),
    script:
        "../workflow_scripts/evaluate.py"


rule evaluate_streamed:
    """Run a model over corrupted images that are made as they are needed and never stored."""
    input:
        model="results/models/{model}/card.json",
        images=clean_of,
        raw=streamed_raw,
        builder=model_code,
        corruptions=streamed_code,
        code=code_of("workflow_scripts/evaluate_streamed.py"),
    output:
        records="<study>/records/{model}/{test}.parquet",
        features=FEATURES,
    log:
        "<study>/logs/evaluate_streamed/{model}/{test}.log",
    benchmark:
        "<study>/benchmarks/evaluate_streamed/{model}/{test}.tsv"
    wildcard_constraints:
        test=one_of(STREAMED),
    conda:
        "../environment.yml"
    threads: 4  # processes that corrupt, beside the one that runs the model
    resources:
        gpu=GPU,
        mem_mb=growing(8000),
        runtime=growing(12 * 60),
    params:
        names=value_of("{test}/sets", within=TESTS),
        family=value_of("{test}/family", within=TESTS),
        storage=value_of("{test}/storage", within=TESTS, default="array"),
        n=count,
        seed=config["seed"],
        batch_size=value_of("batch_size", within=config, default=64),
    script:
        "../workflow_scripts/evaluate_streamed.py"


rule evaluate_sequences:
    """Run a model over images that change little by little; keep its first answers."""
    input:
        model="results/models/{model}/card.json",
        images=clean_of,
        builder=model_code,
        kinds=perturbations,
        code=code_of("workflow_scripts/evaluate_sequences.py"),
    output:
        records="<study>/sequences/{model}/{test}.parquet",
    log:
        "<study>/logs/evaluate_sequences/{model}/{test}.log",
    benchmark:
        "<study>/benchmarks/evaluate_sequences/{model}/{test}.tsv"
    wildcard_constraints:
        test=one_of(SEQUENCES),
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=growing(8000),
        runtime=growing(4 * 60),
    params:
        kinds=value_of("{test}/sets", within=TESTS),
        family=value_of("{test}/family", within=TESTS),
        n=count,
        seed=config["seed"],
        batch_size=value_of("batch_size", within=config, default=64),
    script:
        "../workflow_scripts/evaluate_sequences.py"
