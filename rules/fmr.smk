"""Foundation-model-oriented robustness: tables and figures of searches.

INPUTS: <study>/searched/, <study>/oracles/, <study>/transfer_searched/
OUTPUTS: <study>/tables/{oracles,fmr*,search_steps}.csv, <study>/figures/searched_*
"""


rule tabulate_fmr:
    """Tabulate oracles, accuracy after searches, FMR, and whether the figures may be believed."""
    input:
        searches=searches("records.parquet"),
        checks=oracle_checks(),
        corruption=["<study>/tables/mean_corruption_error.csv"] if CORRUPT else [],
        code=code_of("workflow_scripts/tabulate_fmr.py"),
    output:
        oracles=table("<study>/tables/oracles.csv", "FMR", "oracles"),
        fmr=table("<study>/tables/fmr.csv", "FMR", "model and condition"),
        gates=table("<study>/tables/fmr_gates.csv", "FMR", "gates"),
    log:
        "<study>/logs/tabulate_fmr.log",
    conda:
        "../environment.yml"
    params:
        methods=METHODS,
    script:
        "../workflow_scripts/tabulate_fmr.py"


rule tabulate_fmr_differences:
    """Tabulate what one setting of searches moves: generators side by side, sparse against full."""
    input:
        searches=searches("records.parquet", SHARED_SEARCHES),
        checks=oracle_checks(),
        code=code_of("workflow_scripts/tabulate_fmr_differences.py"),
    output:
        table=table("<study>/tables/fmr_differences.csv", "FMR", "one setting apart"),
    log:
        "<study>/logs/tabulate_fmr_differences.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/tabulate_fmr_differences.py"


rule tabulate_fmr_settings:
    """Tabulate searches by step size and budget, and the loss at each step."""
    input:
        searches=searches("records.parquet"),
        traces=searches("trace.parquet"),
        checks=oracle_checks(),
        code=code_of("workflow_scripts/tabulate_fmr_settings.py"),
    output:
        settings=table("<study>/tables/fmr_settings.csv", "FMR", "step size and budget"),
        steps="<study>/tables/search_steps.csv",
    log:
        "<study>/logs/tabulate_fmr_settings.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/tabulate_fmr_settings.py"


rule tabulate_fmr_transfer:
    """Tabulate how often each model is right about the images searched against each other."""
    input:
        transfers=expand(
            "<study>/transfer_searched/{model}.parquet", model=MODELS if SHARED_SEARCHES else []
        ),
        clean=records_of("clean"),
        code=code_of("workflow_scripts/tabulate_fmr_transfer.py"),
    output:
        table=table("<study>/tables/fmr_transfer.csv", "FMR", "source and target"),
    log:
        "<study>/logs/tabulate_fmr_transfer.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/tabulate_fmr_transfer.py"


rule draw_searched_examples:
    """Draw originals, round trips, searched images, what was changed, and who says what."""
    input:
        # Of those that began at the study's images, which are the originals that are drawn.
        searches=searches("card.json", SHARED_SEARCHES),
        records=searches("records.parquet", SHARED_SEARCHES),
        images=f"<clean>/{VIEW[EVALUATED[0]]}/card.json",
        code=code_of("workflow_scripts/draw_searched_examples.py"),
    output:
        svg=figure("<study>/figures/searched_examples.svg", "examples of searches"),
        pdf="<study>/figures/searched_examples.pdf",
        png="<study>/figures/searched_examples.png",
    log:
        "<study>/logs/draw_searched_examples.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_searched_examples.py"


rule draw_searched_steps:
    """Draw the loss against the step of searches, and FMR by step size and budget."""
    input:
        steps="<study>/tables/search_steps.csv",
        settings="<study>/tables/fmr_settings.csv",
        code=code_of("workflow_scripts/draw_searched_steps.py"),
    output:
        loss=multiext("<study>/figures/searched_loss", ".pdf", ".png"),
        loss_svg=figure("<study>/figures/searched_loss.svg", "loss of searches"),
        settings=multiext("<study>/figures/searched_settings", ".pdf", ".png"),
        settings_svg=figure("<study>/figures/searched_settings.svg", "settings of searches"),
    log:
        "<study>/logs/draw_searched_steps.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_searched_steps.py"
