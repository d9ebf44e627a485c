"""The end of a study: every file and its hash, for `python -m robusteval verify`.

INPUTS: <study>/report.html, <study>/tables/*.csv
OUTPUTS: <study>/manifest.json
"""

WRAPPING = [CATALOGUE["models"][model]["wraps"] for model in MODELS if model in WRAPPED]
# What other studies may share, by its folder in results/.
KEPT = [f"models/{name}" for name in [*MODELS, *WRAPPING, *oracle_models(config, CATALOGUE)]]
KEPT += [f"images/{name}" for name in [*SETS, *searched_sets(config, CATALOGUE)]]
KEPT += [f"generators/{name}" for name in generators_of(config, CATALOGUE)]


rule write_manifest:
    """Write down every file of the finished study with its hash, what studies share too."""
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
        shared=list(dict.fromkeys(KEPT)),
    script:
        "../workflow_scripts/write_manifest.py"
