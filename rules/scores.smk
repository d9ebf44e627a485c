"""Rejection scores, and what they are worth. Adding one runs no model.

INPUTS: <study>/records/, <study>/transfer/
OUTPUTS: <study>/scores/{model}/{test}.parquet, <study>/tables/{detection*,calibration,selective}.csv
"""

KIND_OF = {test: entry["kind"] for test, entry in TESTS.items()}
DISTANCE = {
    name: CATALOGUE["images"][name]["distance"]
    for name in NOVEL
    if "distance" in CATALOGUE["images"][name]
}
SCORED = tests_of("clean", "corrupt", "adversarial", "novel", "unrecognisable")


rule score:
    """Score a model's answers to all tests: how certain it is of each."""
    input:
        records=expand(
            "<study>/records/{{model}}/{test}.parquet",
            test=[test for test in SCORED if test not in ATTACKS],
        ),
        transfers=expand("<study>/transfer/{attack}/{{model}}.parquet", attack=ATTACKS),
        code=code_of(
            "workflow_scripts/score.py",
            *[f"robusteval/scores/{name}.py" for name in [*SCORES, "max_softmax"]],
        ),
    output:
        expand("<study>/scores/{{model}}/{test}.parquet", test=SCORED),
    log:
        "<study>/logs/score/{model}.log",
    benchmark:
        "<study>/benchmarks/score/{model}.tsv"
    conda:
        "../environment.yml"
    params:
        scores=SCORES,
    script:
        "../workflow_scripts/score.py"


rule tabulate_detection:
    """Tabulate how well confidence tells known from unknown classes, set by set and in groups."""
    input:
        scored=expand(
            "<study>/scores/{model}/{test}.parquet",
            model=MODELS,
            test=tests_of("clean", "corrupt", "novel", "unrecognisable"),
        ),
        code=code_of("workflow_scripts/tabulate_detection.py"),
    output:
        sets=table("<study>/tables/detection.csv", "detection", "unknown image set"),
        spectrum=table("<study>/tables/detection_full_spectrum.csv", "detection", "full spectrum"),
        groups=table("<study>/tables/detection_groups.csv", "detection", "groups of sets"),
    log:
        "<study>/logs/tabulate_detection.log",
    conda:
        "../environment.yml"
    params:
        kinds=KIND_OF,
        scores=SCORES,
        distances=DISTANCE,
    script:
        "../workflow_scripts/tabulate_detection.py"


rule tabulate_selective:
    """Tabulate calibration, and the error among what is accepted, of clean and corrupt images."""
    input:
        scored=expand(
            "<study>/scores/{model}/{test}.parquet",
            model=MODELS,
            test=tests_of("clean", "corrupt"),
        ),
        code=code_of("workflow_scripts/tabulate_selective.py"),
    output:
        calibration=table("<study>/tables/calibration.csv", "confidence", "calibration"),
        selective=table("<study>/tables/selective.csv", "confidence", "rejection"),
    log:
        "<study>/logs/tabulate_selective.log",
    conda:
        "../environment.yml"
    params:
        scores=SCORES,
    script:
        "../workflow_scripts/tabulate_selective.py"
