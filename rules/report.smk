"""The report: tables and figures in one page.

INPUTS: <study>/tables/*.csv, <study>/figures/*.svg
OUTPUTS: <study>/report.html
"""


rule write_report:
    """Write tables and figures into one page that needs nothing else."""
    input:
        tables=expand("<study>/tables/{name}.csv", name=TABLES),
        figures=expand("<study>/figures/{name}.svg", name=FIGURES),
        captions=expand("report/{name}.rst", name=["study", *TABLES, *DRAWINGS]),
    output:
        page="<study>/report.html",
        study="<study>/study.yaml",
    log:
        "<study>/logs/write_report.log",
    conda:
        "../environment.yml"
    params:
        study=config,
    script:
        "../workflow_scripts/write_report.py"
