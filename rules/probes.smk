"""Probes: measurements that look inside a model.

INPUTS: results/models/{model}/, the study's images in the model's view
OUTPUTS: <study>/probes/{model}/{probe}.parquet, <study>/tables/clever.csv
"""


rule probe:
    """Look inside a model with a probe, shard by shard; a killed job loses at most one shard."""
    input:
        model="results/models/{model}/card.json",
        images=clean_of,
        probe=code("probes", lookup(dpath="{probe}/probe", within=TESTS)),
        builder=model_code,
        code=code_of("workflow_scripts/probe.py"),
    output:
        records="<study>/probes/{model}/{probe}.parquet",
    log:
        "<study>/logs/probe/{model}/{probe}.log",
    benchmark:
        "<study>/benchmarks/probe/{model}/{probe}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=growing(8000),
        runtime=growing(12 * 60),
    params:
        probe=lookup(dpath="{probe}/probe", within=TESTS),
        conditions=lookup(dpath="{probe}/conditions", within=TESTS),
        n=count,
        seed=config["seed"],
        batch_size=lookup(dpath="batch_size", within=config, default=64),
    script:
        "../workflow_scripts/probe.py"


rule tabulate_clever:
    """Tabulate CLEVER scores by model and condition."""
    input:
        records=expand("<study>/probes/{model}/{probe}.parquet", model=MODELS, probe=CLEVER),
        clean=records_of("clean"),
        code=code_of("workflow_scripts/tabulate_clever.py"),
    output:
        table=table("<study>/tables/clever.csv", "CLEVER", "condition"),
    log:
        "<study>/logs/tabulate_clever.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/tabulate_clever.py"
