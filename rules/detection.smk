"""What rejection scores are worth: known from unknown classes, right answers from wrong ones.

INPUTS: <study>/scores/{model}/{test}.parquet
OUTPUTS: <study>/tables/{detection*,calibration,selective}.csv
"""

DISTANCE = {
    name: CATALOGUE["images"][name]["distance"]
    for name in NOVEL
    if "distance" in CATALOGUE["images"][name]
}


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
    """Tabulate calibration, and the error among what is accepted, of images of known classes."""
    input:
        scored=expand(
            "<study>/scores/{model}/{test}.parquet",
            model=MODELS,
            test=tests_of("clean", "corrupt"),
        ),
        searched=SCORED_SEARCHES,
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
