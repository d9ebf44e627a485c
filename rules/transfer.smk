"""Transfer: what a model says about the images made against every model, its own included.

INPUTS: results/models/{model}/, <study>/adversarial/{source}/{attack}/ of all sources
OUTPUTS: <study>/transfer/{attack}/{model}.parquet
"""


rule transfer:
    """Read every source's adversarial images back from disk; the diagonal is the white-box verdict."""
    input:
        model="results/models/{model}/card.json",
        sources=expand("<study>/adversarial/{source}/{{attack}}/card.json", source=MODELS),
        builder=model_code,
        code=code_of("workflow_scripts/transfer.py"),
    output:
        records="<study>/transfer/{attack}/{model}.parquet",
    log:
        "<study>/logs/transfer/{attack}/{model}.log",
    benchmark:
        "<study>/benchmarks/transfer/{attack}/{model}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
    params:
        sources=MODELS,
        resize=lookup(dpath="resize", within=config, default="bicubic"),
        batch_size=lookup(dpath="batch_size", within=config, default=64),
    script:
        "../workflow_scripts/transfer.py"
