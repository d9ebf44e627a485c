"""Metrics for DVC: the few numbers that versions of a study are compared by.

INPUTS: <study>/tables/accuracy_by_test.csv, <study>/tables/dar.csv
OUTPUTS: <study>/metrics.json
"""


rule write_metrics:
    """Write accuracy by test and DAR by kind of data as JSON, for `dvc metrics diff`."""
    input:
        accuracy="<study>/tables/accuracy_by_test.csv",
        dar="<study>/tables/dar.csv",
        code=code_of("workflow_scripts/write_metrics.py"),
    output:
        metrics="<study>/metrics.json",
    log:
        "<study>/logs/write_metrics.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/write_metrics.py"


rule metrics:
    """What `dvc repro` asks for beside the tables."""
    input:
        "<study>/metrics.json",
