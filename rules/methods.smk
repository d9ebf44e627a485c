"""Methods: models that differ in their seed only, taken together.

INPUTS: <study>/tables/accuracy_by_test.csv, dar.csv, fmr.csv
OUTPUTS: <study>/tables/{accuracy,dar,fmr}_by_method.csv, <study>/figures/
"""


rule tabulate_methods:
    """Tabulate mean and spread of accuracy and DAR over the seeds of a method."""
    input:
        accuracy="<study>/tables/accuracy_by_test.csv",
        dar="<study>/tables/dar.csv",
        code=code_of("workflow_scripts/tabulate_methods.py"),
    output:
        accuracy=table("<study>/tables/accuracy_by_method.csv", "accuracy", "over seeds"),
        dar=table("<study>/tables/dar_by_method.csv", "DAR", "over seeds"),
    log:
        "<study>/logs/tabulate_methods.log",
    conda:
        "../environment.yml"
    params:
        methods=METHODS,
    script:
        "../workflow_scripts/tabulate_methods.py"


rule draw_accuracy_by_method:
    """Draw mean and spread of accuracy over the seeds of a method."""
    input:
        table="<study>/tables/accuracy_by_method.csv",
        code=code_of("workflow_scripts/draw_accuracy_by_method.py"),
    output:
        svg=figure("<study>/figures/accuracy_by_method.svg", "accuracy over seeds"),
        pdf="<study>/figures/accuracy_by_method.pdf",
        png="<study>/figures/accuracy_by_method.png",
    log:
        "<study>/logs/draw_accuracy_by_method.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_accuracy_by_method.py"


rule draw_dar_by_method:
    """Draw mean and spread of DAR over the seeds of a method."""
    input:
        table="<study>/tables/dar_by_method.csv",
        code=code_of("workflow_scripts/draw_dar_by_method.py"),
    output:
        svg=figure("<study>/figures/dar_by_method.svg", "DAR over seeds"),
        pdf="<study>/figures/dar_by_method.pdf",
        png="<study>/figures/dar_by_method.png",
    log:
        "<study>/logs/draw_dar_by_method.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_dar_by_method.py"


rule tabulate_fmr_by_method:
    """Tabulate mean and spread of accuracy after searches and of FMR over the seeds of a method."""
    input:
        fmr="<study>/tables/fmr.csv",
        code=code_of("workflow_scripts/tabulate_fmr_by_method.py"),
    output:
        table=table("<study>/tables/fmr_by_method.csv", "FMR", "over seeds"),
    log:
        "<study>/logs/tabulate_fmr_by_method.log",
    conda:
        "../environment.yml"
    params:
        tests=SHARED_SEARCHES,
        methods=SEARCHED_METHODS,
    script:
        "../workflow_scripts/tabulate_fmr_by_method.py"


rule draw_fmr_by_method:
    """Draw mean and spread of FMR over the seeds of a method."""
    input:
        table="<study>/tables/fmr_by_method.csv",
        code=code_of("workflow_scripts/draw_fmr_by_method.py"),
    output:
        svg=figure("<study>/figures/fmr_by_method.svg", "FMR over seeds"),
        pdf="<study>/figures/fmr_by_method.pdf",
        png="<study>/figures/fmr_by_method.png",
    log:
        "<study>/logs/draw_fmr_by_method.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_fmr_by_method.py"
