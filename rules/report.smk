"""The report: tables and figures in one page.

INPUTS: <study>/tables/*.csv, <study>/figures/*.svg
OUTPUTS: <study>/report.html
"""


rule write_report:
    """Write tables and figures into one page that needs nothing else."""
    input:
        tables=expand("<study>/tables/{name}.csv", name=TABLES),
        figures=expand("<study>/figures/{name}.svg", name=FIGURES),
    output:
        page="<study>/report.html",
    log:
        "<study>/logs/write_report.log",
    conda:
        "../environment.yml"
    params:
        configfiles=[str(path) for path in workflow.configfiles],
    script:
        "../workflow_scripts/write_report.py"
