"""Checks of each model on a few clean images, before anything expensive is run on it.

INPUTS: results/models/{model}/, the study's images in the model's view
OUTPUTS: <study>/checks/{model}.json, <study>/tables/checks.csv
"""


rule check_model:
    """Check a model on a few clean images: labels, logits, gradients, published accuracy."""
    input:
        model="results/models/{model}/card.json",
        images=clean_of,
        builder=model_code,
        checks=[code_of(f"robusteval/checks/{name}.py") for name in CHECKS],
        code=code_of("workflow_scripts/check_model.py"),
    output:
        findings="<study>/checks/{model}.json",
    log:
        "<study>/logs/check_model/{model}.log",
    benchmark:
        "<study>/benchmarks/check_model/{model}.tsv"
    priority: 100  # what is wrong with a model is seen before hours are spent on it
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=growing(8000),
        runtime=growing(30),
    params:
        n=min(config["counts"]["clean"], 512),
        seed=config["seed"],
        batch_size=value_of("batch_size", within=config, default=64),
    script:
        "../workflow_scripts/check_model.py"


rule check_novel:
    """Check that no image of the novel sets of a test is among the known ones."""
    input:
        known=known_manifests,
        novel=novel_manifests,
        code=code_of("workflow_scripts/check_novel.py"),
    output:
        report="<study>/checks/novel/{test}.json",
    log:
        "<study>/logs/check_novel/{test}.log",
    wildcard_constraints:
        test=one_of(tests_of("novel")),
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/check_novel.py"


rule tabulate_checks:
    """Tabulate what the checks of each model found, and why it matters."""
    input:
        findings=expand("<study>/checks/{model}.json", model=MODELS),
        code=code_of("workflow_scripts/tabulate_checks.py"),
    output:
        table=table("<study>/tables/checks.csv", "checks", "model"),
    log:
        "<study>/logs/tabulate_checks.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/tabulate_checks.py"
