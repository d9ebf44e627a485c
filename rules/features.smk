"""Features of training images, on which scores of features are fitted.

INPUTS: results/models/{model}/, training images
OUTPUTS: <study>/features/{model}/training.safetensors, if the study has a score of features
"""

TRAINING = ["<study>/features/{model}/training.safetensors"] if OF_FEATURES else []


rule evaluate_training:
    """Run a model over training images and keep its features, for scores that are fitted on them."""
    input:
        model="results/models/{model}/card.json",
        images=fitted_on,
        builder=model_code,
        code=code_of("workflow_scripts/evaluate_training.py"),
    output:
        training="<study>/features/{model}/training.safetensors",
    log:
        "<study>/logs/evaluate_training/{model}.log",
    benchmark:
        "<study>/benchmarks/evaluate_training/{model}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=growing(8000),
        runtime=growing(2 * 60),
    params:
        n=value_of("features/count", within=config, default=0),
        seed=config["seed"],
        batch_size=value_of("batch_size", within=config, default=64),
    script:
        "../workflow_scripts/evaluate_training.py"
