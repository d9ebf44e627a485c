"""A study in the formats of published result files, for those who keep boards, and what it cites.

INPUTS: <study>/records/, <study>/tables/*.csv, config/catalogue/
OUTPUTS: <study>/exports/
"""

EXPORTS = ["<study>/exports/timm.csv", "<study>/exports/study.bib", "<study>/exports/trials"]
EXPORTS += ["<study>/exports/openood.csv"] if NOVEL or SCRAMBLED else []
if CORRUPT:
    EXPORTS += ["<study>/exports/robustbench.csv", "<study>/exports/corruption_table"]


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


rule export_openood:
    """Write AUROC against unknown images in the format of OpenOOD's result tables."""
    input:
        detection="<study>/tables/detection.csv",
        accuracy="<study>/tables/accuracy.csv",
        code=code_of("workflow_scripts/export_openood.py"),
    output:
        table="<study>/exports/openood.csv",
    log:
        "<study>/logs/export_openood.log",
    conda:
        "../environment.yml"
    params:
        kinds={test: entry["kind"] for test, entry in TESTS.items()},
        models={model: CATALOGUE["models"][model] for model in MODELS},
    script:
        "../workflow_scripts/export_openood.py"


rule export_corruption_table:
    """Write errors by corruption as a table of models x corruptions, one for each test."""
    input:
        errors="<study>/tables/corruption_error.csv",
        code=code_of("workflow_scripts/export_corruption_table.py"),
    output:
        tables=directory("<study>/exports/corruption_table"),
    log:
        "<study>/logs/export_corruption_table.log",
    conda:
        "../environment.yml"
    params:
        families={test: TESTS[test]["family"] for test in tests_of("corrupt")},
    script:
        "../workflow_scripts/export_corruption_table.py"


rule export_trials:
    """Write what each model said about each image as trials of model-vs-human."""
    input:
        records=records_of("clean", "corrupt", "shifted"),
        models=expand("results/models/{model}/card.json", model=MODELS),
        code=code_of("workflow_scripts/export_trials.py"),
    output:
        trials=directory("<study>/exports/trials"),
    log:
        "<study>/logs/export_trials.log",
    conda:
        "../environment.yml"
    params:
        folders={model: f"results/models/{model}" for model in MODELS},
    script:
        "../workflow_scripts/export_trials.py"


rule export_bibtex:
    """Write a BibTeX file of what the study used."""
    input:
        metrics="config/catalogue/metrics.yaml",
        code=code_of("workflow_scripts/export_bibtex.py"),
    output:
        file="<study>/exports/study.bib",
    log:
        "<study>/logs/export_bibtex.log",
    conda:
        "../environment.yml"
    params:
        catalogue=CATALOGUE,
        used={"images": SETS, "models": MODELS, "tests": list(TESTS), "metrics": TABLES},
    script:
        "../workflow_scripts/export_bibtex.py"
