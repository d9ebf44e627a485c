"""Generators that searches walk in, trained here or brought along.

INPUTS: results/images/{images}/, the catalogue's recipe; files, folders or hubs with weights
OUTPUTS: results/generators/{generator}/
"""


rule train_generator:
    """Train a generator on a fixed part of its training images; a killed job goes on at its last epoch."""
    input:
        train=generator_images,
        builder=code(
            "generators",
            value_of("{generator}/builder", within=CATALOGUE["generators"]),
        ),
        code=code_of("workflow_scripts/train_generator.py"),
    output:
        weights="results/generators/{generator}/weights.safetensors",
        card="results/generators/{generator}/card.json",
    log:
        "results/generators/logs/train_generator/{generator}.log",
    benchmark:
        "results/generators/benchmarks/train_generator/{generator}.tsv"
    wildcard_constraints:
        generator=one_of(TRAINED_GENERATORS),
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=growing(16000),
        runtime=growing(12 * 60),
    params:
        builder=value_of("{generator}/builder", within=CATALOGUE["generators"]),
        arguments=value_of("{generator}/arguments", within=CATALOGUE["generators"]),
        training=value_of("{generator}/training", within=CATALOGUE["generators"]),
    script:
        "../workflow_scripts/train_generator.py"


rule prepare_generator:
    """Convert a generator's published weights once, verified, and try it on two images."""
    input:
        builder=code(
            "generators",
            value_of("{generator}/builder", within=CATALOGUE["generators"]),
        ),
        code=code_of("workflow_scripts/prepare_generator.py"),
    output:
        weights="results/generators/{generator}/weights.safetensors",
        card="results/generators/{generator}/card.json",
    log:
        "results/generators/logs/prepare_generator/{generator}.log",
    wildcard_constraints:
        generator=one_of(PREPARED_GENERATORS),
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(8000),
        runtime=growing(60),
    params:
        entry=value_of("{generator}", within=CATALOGUE["generators"]),
    script:
        "../workflow_scripts/prepare_generator.py"
