"""Rejection scores, and what they are worth. Adding one runs no model.

INPUTS: <study>/records/, <study>/transfer/, <study>/features/
OUTPUTS: <study>/scores/{model}/{test}.parquet, <study>/scores/{model}/adversarial.list of those of
    attacks, <study>/visibility/{model}.parquet, <study>/tables/{detection*,calibration,selective}.csv
"""

KIND_OF = {test: entry["kind"] for test, entry in TESTS.items()}
DISTANCE = {
    name: CATALOGUE["images"][name]["distance"]
    for name in NOVEL
    if "distance" in CATALOGUE["images"][name]
}
NATURAL = tests_of("clean", "corrupt", "novel", "unrecognisable")  # not made against a model
SCORED = [
    *expand("<study>/scores/{model}/{test}.parquet", model=MODELS, test=NATURAL),
    *expand("<study>/scores/{model}/adversarial.list", model=MODELS if ATTACKS else []),
]
# max_softmax also gives the probability of an answer.
OF_LOGITS = [*(name for name in SCORES if name not in OF_FEATURES), "max_softmax"]


rule score:
    """Score a model's answers to all tests but attacks: how certain it is of each."""
    input:
        records=expand("<study>/records/{{model}}/{test}.parquet", test=NATURAL),
        features=expand(FEATURES, test=NATURAL, allow_missing=True),
        training=TRAINING,
        scores=[code_of(f"robusteval/scores/{name}.py") for name in OF_LOGITS],
        feature_scores=[code_of(f"robusteval/feature_scores/{name}.py") for name in OF_FEATURES],
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
        settings=value_of("features/settings", within=config, default={}),
    script:
        "../workflow_scripts/score.py"


rule score_adversarial:
    """Score a model's answers to the images made against itself, and how visible their changes are."""
    input:
        transfers="<study>/transfer/{model}.list",
        features=expand(FEATURES, test=ATTACKS, allow_missing=True),
        training=TRAINING,
        scores=[code_of(f"robusteval/scores/{name}.py") for name in OF_LOGITS],
        feature_scores=[code_of(f"robusteval/feature_scores/{name}.py") for name in OF_FEATURES],
        adversarial=["<study>/adversarial/{model}.list"] if FRAMEWORK else [],
        before=["<study>/records/{model}/clean.parquet"] if FRAMEWORK else [],
        clean=clean_of,
        code=code_of("workflow_scripts/score_adversarial.py"),
    output:
        scores="<study>/scores/{model}/adversarial.list",
        visibility=["<study>/visibility/{model}.parquet"] if FRAMEWORK else [],
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
        settings=value_of("features/settings", within=config, default={}),
        visible=value_of("images", within=FRAMEWORK, default=0),
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
