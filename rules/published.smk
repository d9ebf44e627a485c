"""Published numbers: beside those of a study, recomputed from each other, and in their formats.

INPUTS: config/published/, <study>/tables/*.csv, <study>/records/
OUTPUTS: <study>/tables/published.csv, <study>/exports/, results/published/
"""


rule compare_published:
    """Hold the study's tables against published numbers: PASS, EXPLAINED or FAIL, and why."""
    input:
        tables=expand("<study>/tables/{name}.csv", name=COMPARED),
        published=PUBLISHED_FILES,
        formats=FORMATS,
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
        formats=FORMATS,
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


rule export_timm:
    """Write the study's clean accuracies in the format of timm's result tables."""
    input:
        records=records_of("clean"),
        models=expand("results/models/{model}/card.json", model=MODELS),
        code=code_of("workflow_scripts/export_timm.py"),
    output:
        table="<study>/exports/timm.csv",
    log:
        "<study>/logs/export_timm.log",
    conda:
        "../environment.yml"
    params:
        folders={model: f"results/models/{model}" for model in MODELS},
        models={model: CATALOGUE["models"][model] for model in MODELS},
        views=CATALOGUE["views"],
    script:
        "../workflow_scripts/export_timm.py"


rule export_robustbench:
    """Write the study's accuracies under corruptions in the two formats of RobustBench."""
    input:
        corrupt=records_of("corrupt"),
        clean=records_of("clean"),
        code=code_of("workflow_scripts/export_robustbench.py"),
    output:
        table="<study>/exports/robustbench.csv",
        summaries=directory("<study>/exports/robustbench"),
    log:
        "<study>/logs/export_robustbench.log",
    conda:
        "../environment.yml"
    params:
        models={model: CATALOGUE["models"][model] for model in MODELS},
        dataset=config["images"],
    script:
        "../workflow_scripts/export_robustbench.py"


rule export_bibtex:
    """Write a BibTeX file of what the study used."""
    input:
        code=code_of("workflow_scripts/export_bibtex.py"),
    output:
        file="<study>/exports/study.bib",
    log:
        "<study>/logs/export_bibtex.log",
    conda:
        "../environment.yml"
    params:
        catalogue=CATALOGUE,
        used={"images": SETS, "models": MODELS, "tests": list(TESTS)},
    script:
        "../workflow_scripts/export_bibtex.py"
