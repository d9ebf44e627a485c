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
NATURAL = tests_of("clean", "corrupt", "novel", "unrecognisable")  # not made against a model
SCORED = tests_of("clean", "corrupt", "adversarial", "novel", "unrecognisable")
USED = [*SCORES, "max_softmax"]  # which also gives the probability of an answer


rule score:
    """Score a model's answers to all tests but attacks: how certain it is of each."""
    input:
        records=expand("<study>/records/{{model}}/{test}.parquet", test=NATURAL),
        scores=[code_of(f"robusteval/scores/{name}.py") for name in USED],
        code=code_of("workflow_scripts/score.py"),
    output:
        expand("<study>/scores/{{model}}/{test}.parquet", test=NATURAL),
    log:
        "<study>/logs/score/{model}.log",
    benchmark:
        "<study>/benchmarks/score/{model}.tsv"
    conda:
        "../environment.yml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(30),
    params:
        scores=SCORES,
    script:
        "../workflow_scripts/score.py"


rule score_adversarial:
    """Score a model's answers to the images that attacks made against itself."""
    input:
        transfers=expand("<study>/transfer/{attack}/{{model}}.parquet", attack=ATTACKS),
        scores=[code_of(f"robusteval/scores/{name}.py") for name in USED],
        code=code_of("workflow_scripts/score_adversarial.py"),
    output:
        # A rule must have an output, of a study without attacks too.
        expand("<study>/scores/{{model}}/{attack}.parquet", attack=ATTACKS or ["no_attack"]),
    log:
        "<study>/logs/score_adversarial/{model}.log",
    benchmark:
        "<study>/benchmarks/score_adversarial/{model}.tsv"
    conda:
        "../environment.yml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(30),
    params:
        scores=SCORES,
    script:
        "../workflow_scripts/score_adversarial.py"


rule tabulate_detection:
    """Tabulate how well confidence tells known from unknown classes, set by set and in groups."""
    input:
        scored=expand(
            "<study>/scores/{model}/{test}.parquet",
            model=MODELS,
            test=NATURAL,
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
