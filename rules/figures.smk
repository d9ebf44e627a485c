"""Figures, drawn from tables only.

INPUTS: <study>/tables/*.csv
OUTPUTS: <study>/figures/*.{svg,pdf,png}
"""


rule draw_accuracy:
    """Draw accuracy per test with intervals."""
    input:
        table="<study>/tables/accuracy_by_test.csv",
        code=code_of("workflow_scripts/draw_accuracy.py"),
    output:
        svg=figure("<study>/figures/accuracy.svg", "accuracy"),
        pdf="<study>/figures/accuracy.pdf",
        png="<study>/figures/accuracy.png",
    log:
        "<study>/logs/draw_accuracy.log",
    conda:
        "../environment.yml"
    params:
        searches=SEARCHES,
    script:
        "../workflow_scripts/draw_accuracy.py"


rule draw_corruption_error:
    """Draw errors by corruption and severity as a heat map per model."""
    input:
        table="<study>/tables/corruption_error.csv",
        code=code_of("workflow_scripts/draw_corruption_error.py"),
    output:
        svg=figure("<study>/figures/corruption_error.svg", "corruption error"),
        pdf="<study>/figures/corruption_error.pdf",
        png="<study>/figures/corruption_error.png",
    log:
        "<study>/logs/draw_corruption_error.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_corruption_error.py"


rule draw_transfer:
    """Draw transfer matrices with the white-box diagonal outlined."""
    input:
        table="<study>/tables/transfer.csv",
        code=code_of("workflow_scripts/draw_transfer.py"),
    output:
        svg=figure("<study>/figures/transfer.svg", "transfer"),
        pdf="<study>/figures/transfer.pdf",
        png="<study>/figures/transfer.png",
    log:
        "<study>/logs/draw_transfer.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_transfer.py"


rule draw_confidence:
    """Draw confidence histograms with the threshold."""
    input:
        table="<study>/tables/confidence_histogram.csv",
        code=code_of("workflow_scripts/draw_confidence.py"),
    output:
        svg=figure("<study>/figures/confidence.svg", "confidence"),
        pdf="<study>/figures/confidence.pdf",
        png="<study>/figures/confidence.png",
    log:
        "<study>/logs/draw_confidence.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_confidence.py"
