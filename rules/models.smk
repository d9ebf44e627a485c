"""Models, trained here or brought along.

INPUTS: results/images/{images}/, the catalogue's recipe; files, packages or hubs with weights
OUTPUTS: results/models/{model}/
"""


rule train_model:
    """Train a model on a fixed part of its training images; a killed job goes on at its last epoch."""
    input:
        train=training_images,
        test=tested_on,
        sources=sources,
        searched=searched_beside,
        builder=model_code,
        method=code(
            "training",
            value_of("{model}/training/method", within=CATALOGUE["models"]),
        ),
        code=code_of("workflow_scripts/train_model.py"),
    output:
        weights="results/models/{model}/weights.safetensors",
        card="results/models/{model}/card.json",
    log:
        "results/models/logs/train_model/{model}.log",
    benchmark:
        "results/models/benchmarks/train_model/{model}.tsv"
    wildcard_constraints:
        model=one_of(TRAINED),
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=growing(8000),
        runtime=growing(24 * 60),
    params:
        builder=value_of("{model}/builder", within=CATALOGUE["models"]),
        arguments=value_of("{model}/arguments", within=CATALOGUE["models"]),
        training=value_of("{model}/training", within=CATALOGUE["models"]),
    script:
        "../workflow_scripts/train_model.py"


rule prepare_model:
    """Convert a model's published weights once, verified, and try it on a few images."""
    input:
        builder=model_code,
        weights=weights_file,
        code=code_of("workflow_scripts/prepare_model.py"),
    output:
        weights="results/models/{model}/weights.safetensors",
        card="results/models/{model}/card.json",
    log:
        "results/models/logs/prepare_model/{model}.log",
    wildcard_constraints:
        model=one_of(PREPARED),
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(8000),
        runtime=growing(30),
    params:
        entry=value_of("{model}", within=CATALOGUE["models"]),
        view=model_view,
    script:
        "../workflow_scripts/prepare_model.py"
