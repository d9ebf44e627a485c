"""Tables: numbers from records. Adding one runs no model.

INPUTS: <study>/records/, <study>/adversarial/, <study>/transfer/
OUTPUTS: <study>/tables/*.csv
"""


rule tabulate_accuracy:
    """Tabulate accuracy by test, condition and severity, and one number a test."""
    input:
        records=records_of("clean", "corrupt", "shifted"),
        transfers=transfers(),
        code=code_of("workflow_scripts/tabulate_accuracy.py"),
    output:
        accuracy=table("<study>/tables/accuracy.csv", "accuracy", "condition and severity"),
        tests=table("<study>/tables/accuracy_by_test.csv", "accuracy", "test"),
    log:
        "<study>/logs/tabulate_accuracy.log",
    conda:
        "../environment.yml"
    params:
        attacks=ATTACKS,
        shifted=tests_of("shifted"),
        relations=RELATIONS,
    script:
        "../workflow_scripts/tabulate_accuracy.py"


rule tabulate_corruption_error:
    """Tabulate errors on corrupted images, their mean and mCE against the baseline."""
    input:
        records=records_of("corrupt"),
        clean=records_of("clean"),
        published="config/published/alexnet_corruption_error.csv",
        code=code_of("workflow_scripts/tabulate_corruption_error.py"),
    output:
        errors=table(
            "<study>/tables/corruption_error.csv",
            "corruption error",
            "corruption and severity",
        ),
        mean=table("<study>/tables/mean_corruption_error.csv", "corruption error", "mean"),
    log:
        "<study>/logs/tabulate_corruption_error.log",
    conda:
        "../environment.yml"
    params:
        baseline=config["baseline"],
        families={test: TESTS[test]["family"] for test in tests_of("corrupt")},
    script:
        "../workflow_scripts/tabulate_corruption_error.py"


rule tabulate_flip_rate:
    """Tabulate how often a model changes its mind along sequences, and mFR against the baseline."""
    input:
        records=expand("<study>/sequences/{model}/{test}.parquet", model=MODELS, test=SEQUENCES),
        published="config/published/alexnet_flip_probability.csv",
        code=code_of("workflow_scripts/tabulate_flip_rate.py"),
    output:
        rates=table("<study>/tables/flip_rate.csv", "flip rate", "kind of perturbation"),
        mean=table("<study>/tables/mean_flip_rate.csv", "flip rate", "mean"),
    log:
        "<study>/logs/tabulate_flip_rate.log",
    conda:
        "../environment.yml"
    params:
        baseline=config["baseline"],
    script:
        "../workflow_scripts/tabulate_flip_rate.py"


rule tabulate_attacks:
    """Tabulate success, distortion and passes of every attack on every model."""
    input:
        adversarials=adversarials(),
        transfers=transfers(),
        clean=records_of("clean"),
        unmasked=expand("<study>/unmasked/{model}.parquet", model=MODELS),
        code=code_of("workflow_scripts/tabulate_attacks.py"),
    output:
        table=table("<study>/tables/attacks.csv", "attacks", "success, distortion, passes"),
    log:
        "<study>/logs/tabulate_attacks.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/tabulate_attacks.py"


rule tabulate_transfer:
    """Tabulate how often each model is wrong about the images made against each other."""
    input:
        transfers=transfers(),
        clean=records_of("clean"),
        code=code_of("workflow_scripts/tabulate_transfer.py"),
    output:
        table=table("<study>/tables/transfer.csv", "transfer", "source and target"),
    log:
        "<study>/logs/tabulate_transfer.log",
    conda:
        "../environment.yml"
    params:
        sources=MODELS,
        conditions={attack: list(TESTS[attack]["conditions"]) for attack in ATTACKS},
    script:
        "../workflow_scripts/tabulate_transfer.py"
