"""Probes: measurements that look inside a model.

INPUTS: results/models/{model}/, the study's images in the model's view
OUTPUTS: <study>/probes/{model}/{probe}.parquet, <study>/tables/clever.csv, boundary_distance.csv,
    noise_insensitivity.csv, neurons.csv
"""


rule probe:
    """Look inside a model with every probe, shard by shard; a killed job loses at most one shard."""
    input:
        model="results/models/{model}/card.json",
        images=clean_of,
        probes=sorted({file for probe in PROBES for file in probe_code(TESTS[probe])}),
        builder=model_code,
        code=code_of("workflow_scripts/probe.py"),
    output:
        # All probes in one job, which keeps what each has read, shard by shard.
        # A rule must have an output, of a study without probes too.
        expand("<study>/probes/{{model}}/{probe}.parquet", probe=PROBES or ["no_probe"]),
    log:
        "<study>/logs/probe/{model}.log",
    benchmark:
        "<study>/benchmarks/probe/{model}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=growing(8000),
        runtime=growing(12 * 60),
    params:
        probes={probe: TESTS[probe] for probe in PROBES},
        counts={probe: count_of(probe, config, CATALOGUE) for probe in PROBES},
        seed=config["seed"],
        batch_size=value_of("batch_size", within=config, default=64),
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


rule tabulate_structure:
    """Tabulate boundary distances, noise insensitivity, and what neurons do, layer by layer."""
    input:
        records=expand("<study>/probes/{model}/{probe}.parquet", model=MODELS, probe=STRUCTURE),
        code=code_of("workflow_scripts/tabulate_structure.py"),
    output:
        boundary=table("<study>/tables/boundary_distance.csv", "structure", "boundary"),
        noise=table("<study>/tables/noise_insensitivity.csv", "structure", "noise"),
        neurons=table("<study>/tables/neurons.csv", "structure", "neurons by layer"),
    log:
        "<study>/logs/tabulate_structure.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/tabulate_structure.py"
