"""Rejection scores: how certain a model is of each answer. Adding one runs no model.

INPUTS: <study>/records/, <study>/transfer/, <study>/transfer_searched/, <study>/features/
OUTPUTS: <study>/scores/{model}/{test}.parquet, <study>/scores/{model}/adversarial.list of those of
    attacks, <study>/visibility/{model}.parquet
"""

KIND_OF = {test: entry["kind"] for test, entry in TESTS.items()}
NATURAL = tests_of("clean", "corrupt", "novel", "unrecognisable")  # not made against a model
SCORED = [
    *expand("<study>/scores/{model}/{test}.parquet", model=MODELS, test=NATURAL),
    *expand("<study>/scores/{model}/adversarial.list", model=MODELS if ATTACKS else []),
]
SCORED_SEARCHES = expand(
    "<study>/scores/{model}/{test}.parquet", model=EVALUATED, test=SHARED_SEARCHES
)
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


rule score_searched:
    """Score a model's answers to the valid images that were searched against itself."""
    input:
        transfers="<study>/transfer_searched/{model}.parquet",
        features=expand(FEATURES, test="{searched}", allow_missing=True),
        training=TRAINING,
        scores=[code_of(f"robusteval/scores/{name}.py") for name in OF_LOGITS],
        feature_scores=[code_of(f"robusteval/feature_scores/{name}.py") for name in OF_FEATURES],
        code=code_of("workflow_scripts/score_searched.py"),
    output:
        scores="<study>/scores/{model}/{searched}.parquet",
    log:
        "<study>/logs/score_searched/{model}/{searched}.log",
    benchmark:
        "<study>/benchmarks/score_searched/{model}/{searched}.tsv"
    conda:
        "../environment.yml"
    resources:
        mem_mb=growing(4000),
        runtime=growing(30),
    params:
        condition=measured_condition,
        scores=SCORES,
        settings=value_of("features/settings", within=config, default={}),
    script:
        "../workflow_scripts/score_searched.py"
