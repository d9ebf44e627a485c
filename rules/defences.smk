"""Models behind a transformation of their images.

INPUTS: results/models/{model}/ of the model that is wrapped, the catalogue's defence
OUTPUTS: results/models/{model}/
"""


rule wrap_model:
    """Put a model behind a transformation of its images, and try it on a few."""
    input:
        base=wrapped,
        builder=model_code,
        code=code_of("workflow_scripts/wrap_model.py"),
    output:
        weights="results/models/{model}/weights.safetensors",
        card="results/models/{model}/card.json",
    log:
        "results/models/logs/wrap_model/{model}.log",
    wildcard_constraints:
        model=one_of(WRAPPED),
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=growing(8000),
        runtime=growing(30),
    params:
        defence=value_of("{model}/defence", within=CATALOGUE["models"]),
    script:
        "../workflow_scripts/wrap_model.py"
