"""Images searched for a training: in the images that a model is trained on, against another model.

INPUTS: results/models/{model}/ of others, results/generators/{generator}/, training images
OUTPUTS: results/models/{model}/searched/: an image set, records.parquet, trace.parquet
"""


rule search_training:
    """Search images that a model's recipe names beside its own; a killed job loses at most one shard."""
    input:
        against=of_recipe(card_of),
        images=training_images,
        generator=of_recipe(generator_of),
        members=of_recipe(oracle_alone),
        steps=of_recipe(search_steps),
        builder=of_recipe(model_code),
        code=code_of("workflow_scripts/search_training.py"),
    output:
        images="results/models/{model}/searched/images.npy",
        index="results/models/{model}/searched/index.parquet",
        card="results/models/{model}/searched/card.json",
        records="results/models/{model}/searched/records.parquet",
        trace="results/models/{model}/searched/trace.parquet",
    log:
        "results/models/logs/search_training/{model}.log",
    benchmark:
        "results/models/benchmarks/search_training/{model}.tsv"
    wildcard_constraints:
        model=one_of(TAUGHT),
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=growing(16000),
        runtime=growing(12 * 60),
    params:
        oracle=of_recipe(oracle_of),
        test=of_recipe(searched_test),
        recipe=value_of("{model}/training/searched", within=CATALOGUE["models"]),
        seed=value_of("{model}/training/seed", within=CATALOGUE["models"]),
    script:
        "../workflow_scripts/search_training.py"
