"""Published numbers: beside those of a study, and recomputed from each other.

INPUTS: config/published/, <study>/tables/*.csv
OUTPUTS: <study>/tables/published.csv, results/published/
"""


rule compare_published:
    """Hold the study's tables against published numbers: PASS, EXPLAINED or FAIL, and why."""
    input:
        tables=expand("<study>/tables/{name}.csv", name=COMPARED),
        published=PUBLISHED_FILES,
        formats=code_of(*FORMATS),
        code=code_of("workflow_scripts/compare_published.py"),
    output:
        table=table("<study>/tables/published.csv", "published numbers", "beside ours"),
    log:
        "<study>/logs/compare_published.log",
    conda:
        "../environment.yml"
    params:
        tests=TESTS,
        images=config["images"],
        models={model: CATALOGUE["models"][model] for model in MODELS},
        views=CATALOGUE["views"],
    script:
        "../workflow_scripts/compare_published.py"


rule recompute_published:
    """Recompute published numbers from others, without an image."""
    input:
        published=PUBLISHED_FILES,
        formats=code_of(*FORMATS),
        code=code_of("workflow_scripts/recompute_published.py"),
    output:
        table="results/published/tables/recomputed.csv",
        shifted="results/published/tables/effective_robustness.csv",
    log:
        "results/published/logs/recompute_published.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/recompute_published.py"


rule draw_effective_robustness:
    """Draw accuracy on shifted images against accuracy on ImageNet, for all models of timm."""
    input:
        table="results/published/tables/effective_robustness.csv",
        code=code_of("workflow_scripts/draw_effective_robustness.py"),
    output:
        svg="results/published/figures/effective_robustness.svg",
        pdf="results/published/figures/effective_robustness.pdf",
        png="results/published/figures/effective_robustness.png",
    log:
        "results/published/logs/draw_effective_robustness.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_effective_robustness.py"
