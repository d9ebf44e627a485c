"""Searches: images that a model finds hard, within what an oracle accepts; then shown to others.

INPUTS: results/models/{model}/, results/generators/{generator}/, the study's images
OUTPUTS: <study>/oracles/{view}/{searched}.parquet, <study>/searched/{model}/{searched}/: an image
    set, records.parquet, trace.parquet; <study>/transfer_searched/{model}.parquet
"""


rule check_oracle:
    """Check that an oracle is better than the models that it judges, and none of them."""
    input:
        images=searched_images,
        generator=generator_of,
        members=oracle_members,
        models=expand("results/models/{model}/card.json", model=EVALUATED),
        clean=judged_clean,
        code=code_of("workflow_scripts/check_oracle.py"),
    output:
        records="<study>/oracles/{view}/{searched}.parquet",
    log:
        "<study>/logs/check_oracle/{view}/{searched}.log",
    benchmark:
        "<study>/benchmarks/check_oracle/{view}/{searched}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=growing(8000),
        runtime=growing(4 * 60),
    params:
        oracle=oracle_of,
        names=names_of_search,
        adapter=value_of("{searched}/adapter", within=TESTS, default=None),
        n=count,
        clean_n=oracle_count,
        seed=config["seed"],
        batch_size=value_of("batch_size", within=config, default=64),
    script:
        "../workflow_scripts/check_oracle.py"


rule search:
    """Search images against a model, shard by shard; a killed job loses at most one shard."""
    input:
        model="results/models/{model}/card.json",
        images=searched_images,
        generator=generator_of,
        members=oracle_members,
        check=oracle_check,
        steps=search_steps,
        builder=model_code,
        code=code_of("workflow_scripts/search.py"),
    output:
        images="<study>/searched/{model}/{searched}/images.npy",
        index="<study>/searched/{model}/{searched}/index.parquet",
        card="<study>/searched/{model}/{searched}/card.json",
        records="<study>/searched/{model}/{searched}/records.parquet",
        trace="<study>/searched/{model}/{searched}/trace.parquet",
    log:
        "<study>/logs/search/{model}/{searched}.log",
    benchmark:
        "<study>/benchmarks/search/{model}/{searched}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=growing(16000),
        runtime=growing(12 * 60),
    params:
        oracle=oracle_of,
        judges=judges_of,
        conditions=value_of("{searched}/conditions", within=TESTS),
        adapter=value_of("{searched}/adapter", within=TESTS, default=None),
        n=count,
        seed=config["seed"],
        batch_size=value_of("batch_size", within=config, default=64),
    script:
        "../workflow_scripts/search.py"


rule transfer_searched:
    """Ask a model about the images that were searched against every model."""
    input:
        model="results/models/{model}/card.json",
        cards=expand(
            "<study>/searched/{source}/{searched}/card.json",
            source=EVALUATED,
            searched=SHARED_SEARCHES,
        ),
        builder=model_code,
        code=code_of("workflow_scripts/transfer_searched.py"),
    output:
        records="<study>/transfer_searched/{model}.parquet",
        # Of the images searched against the model itself.
        features=expand(FEATURES, test=SHARED_SEARCHES, allow_missing=True),
    log:
        "<study>/logs/transfer_searched/{model}.log",
    benchmark:
        "<study>/benchmarks/transfer_searched/{model}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=growing(8000),
        runtime=growing(4 * 60),
    params:
        resize=value_of("resize", within=config, default="bicubic"),
        batch_size=value_of("batch_size", within=config, default=64),
    script:
        "../workflow_scripts/transfer_searched.py"
