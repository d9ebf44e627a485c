"""Transfer: what a model says about the images made against every model, its own included.

INPUTS: results/models/{model}/, <study>/adversarial/{source}/{attack}/ of all sources
OUTPUTS: <study>/transfer/{attack}/{model}.parquet, <study>/transfer/{model}.list of them,
    <study>/features/{model}/{attack}.npy if the study has a score of features
"""


rule transfer:
    """Read all adversarial images back from disk; a model's own give the white-box verdict."""
    input:
        model="results/models/{model}/card.json",
        adversarial=adversarials(),
        builder=model_code,
        code=code_of("workflow_scripts/transfer.py"),
    output:
        # All attacks in one job, which keeps what was said, attack by attack and source by source.
        records="<study>/transfer/{model}.list",
        # Of the images made against the model itself.
        features=expand(FEATURES, test=ATTACKS, allow_missing=True),
    log:
        "<study>/logs/transfer/{model}.log",
    benchmark:
        "<study>/benchmarks/transfer/{model}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=growing(8000),
        runtime=growing(4 * 60),
    params:
        attacks=ATTACKS,
        resize=value_of("resize", within=config, default="bicubic"),
        batch_size=value_of("batch_size", within=config, default=64),
    script:
        "../workflow_scripts/transfer.py"
