"""Attacks: images made against a model.

INPUTS: results/models/{model}/, the study's images
OUTPUTS: <study>/adversarial/{model}/{attack}/: float32 shards, records.parquet, card.json
"""


rule craft:
    """Attack a model, shard by shard; a killed job loses at most one shard."""
    input:
        model="results/models/{model}/card.json",
        images=clean_of,
        attack=code("attacks", lookup(dpath="{attack}/attack", within=TESTS)),
        builder=model_code,
        code=code_of("workflow_scripts/craft.py"),
    output:
        records="<study>/adversarial/{model}/{attack}/records.parquet",
        card="<study>/adversarial/{model}/{attack}/card.json",
    log:
        "<study>/logs/craft/{model}/{attack}.log",
    benchmark:
        "<study>/benchmarks/craft/{model}/{attack}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        attack=lookup(dpath="{attack}/attack", within=TESTS),
        conditions=lookup(dpath="{attack}/conditions", within=TESTS),
        n=lookup(dpath="counts/adversarial", within=config, default=0),
        seed=config["seed"],
        batch_size=lookup(dpath="batch_size", within=config, default=64),
    script:
        "../workflow_scripts/craft.py"
