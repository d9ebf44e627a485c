"""Attacks: images made against a model, and what storing them in fewer bits loses.

INPUTS: results/models/{model}/, the study's images
OUTPUTS: <study>/adversarial/{model}/{attack}/: float32 shards, records.parquet, card.json;
    <study>/adversarial/{model}.list; <study>/unmasked/{model}.parquet;
    <study>/storage/{model}.parquet, <study>/tables/storage.csv
"""


rule craft:
    """Attack a model, shard by shard; a killed job loses at most one shard."""
    input:
        model="results/models/{model}/card.json",
        images=clean_of,
        attack=code("attacks", value_of("{attack}/attack", within=TESTS)),
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
        mem_mb=growing(8000),
        runtime=growing(12 * 60),
    params:
        attack=value_of("{attack}/attack", within=TESTS),
        conditions=value_of("{attack}/conditions", within=TESTS),
        n=count,
        seed=config["seed"],
        batch_size=value_of("batch_size", within=config, default=64),
    script:
        "../workflow_scripts/craft.py"


rule list_adversarial:
    """List what each attack made of a model."""
    input:
        cards=expand("<study>/adversarial/{{model}}/{attack}/card.json", attack=ATTACKS),
        code=code_of("workflow_scripts/list_adversarial.py"),
    output:
        sets="<study>/adversarial/{model}.list",
    log:
        "<study>/logs/list_adversarial/{model}.log",
    conda:
        "../environment.yml"
    params:
        attacks=ATTACKS,  # in their order, which inputs alone do not hold a list to
    script:
        "../workflow_scripts/list_adversarial.py"


rule requantise:
    """Round a model's own adversarial images as storing them would, and ask the model again."""
    input:
        model="results/models/{model}/card.json",
        adversarial="<study>/adversarial/{model}.list",
        builder=model_code,
        code=code_of("workflow_scripts/requantise.py"),
    output:
        records="<study>/storage/{model}.parquet",
    log:
        "<study>/logs/requantise/{model}.log",
    benchmark:
        "<study>/benchmarks/requantise/{model}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=growing(8000),
        runtime=growing(2 * 60),
    params:
        batch_size=value_of("batch_size", within=config, default=64),
    script:
        "../workflow_scripts/requantise.py"


rule unmask:
    """Ask Square about images that held against an attack whose gradient was 0."""
    input:
        model="results/models/{model}/card.json",
        images=clean_of,
        adversarial="<study>/adversarial/{model}.list",
        square=code_of("robusteval/attacks/square.py"),
        builder=model_code,
        code=code_of("workflow_scripts/unmask.py"),
    output:
        records="<study>/unmasked/{model}.parquet",
    log:
        "<study>/logs/unmask/{model}.log",
    benchmark:
        "<study>/benchmarks/unmask/{model}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=growing(8000),
        runtime=growing(2 * 60),
    params:
        seed=config["seed"],
        batch_size=value_of("batch_size", within=config, default=64),
    script:
        "../workflow_scripts/unmask.py"


rule tabulate_storage:
    """Tabulate how many successes an attack loses when its images are stored in fewer bits."""
    input:
        storage=expand("<study>/storage/{model}.parquet", model=MODELS),
        transfers=transfers(),
        clean=records_of("clean"),
        code=code_of("workflow_scripts/tabulate_storage.py"),
    output:
        table=table("<study>/tables/storage.csv", "attacks", "what storage loses"),
    log:
        "<study>/logs/tabulate_storage.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/tabulate_storage.py"
