"""The end of a study: every file and its hash, for `python -m robusteval verify`.

INPUTS: <study>/report.html, <study>/tables/*.csv
OUTPUTS: <study>/manifest.json
"""


rule write_manifest:
    """Write down every file of the finished study with its hash, shared models and images too."""
    input:
        page="<study>/report.html",
        tables=expand("<study>/tables/{name}.csv", name=TABLES),
    output:
        manifest="<study>/manifest.json",
    log:
        "<study>/logs/write_manifest.log",
    conda:
        "../environment.yml"
    params:
        study=config,
        shared=[f"models/{name}" for name in MODELS] + [f"images/{name}" for name in SETS],
    script:
        "../workflow_scripts/write_manifest.py"
