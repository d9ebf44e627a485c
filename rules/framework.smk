"""The evaluation framework: what images do to a model's neurons, behaviour, twins, one page a model.

INPUTS: results/models/{model}/, all image sets of the study, <study>/adversarial/, records
OUTPUTS: <study>/neurons/{model}/, <study>/coverage/{model}.parquet, <study>/tables/, <study>/figures/
"""

CHOICE = ("layers", "types", "positions")  # of neurons
HITS = ("sections", "sigma", "top", "pattern", "threshold")  # how coverage is counted
FRAMEWORK_TABLES = ["accuracy_by_test", "behaviour", "mean_corruption_error", "mean_flip_rate"]
FRAMEWORK_TABLES += ["imperceptibility", "twins", "boundary_distance", "noise_insensitivity"]
FRAMEWORK_TABLES += ["neurons", "coverage"]
COVERED = [t for t in tests_of("corrupt", "novel", "unrecognisable") if t not in STREAMED]


rule cover:
    """Profile a model's neurons over its training images, and say what every image set hits."""
    input:
        model="results/models/{model}/card.json",
        profiled=profiled_images,
        clean=clean_of,
        sets=covered_sets,
        adversarial="<study>/adversarial/{model}.list",
        builder=model_code,
        code=code_of("workflow_scripts/cover.py"),
    output:
        # The ranges are kept in <study>/neurons/{model}/, for all sets that come to the study.
        records="<study>/coverage/{model}.parquet",
    log:
        "<study>/logs/cover/{model}.log",
    benchmark:
        "<study>/benchmarks/cover/{model}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        gpu=GPU,
        mem_mb=growing(8000),
        runtime=growing(4 * 60),
    params:
        profile_count=profile_count,
        profile_seed=profile_seed,
        choice={key: FRAMEWORK[key] for key in CHOICE if key in FRAMEWORK},
        tests=[(test, TESTS[test]["sets"]) for test in COVERED],
        n=value_of("images", within=FRAMEWORK, default=1),
        seed=config["seed"],
        how={key: FRAMEWORK[key] for key in HITS if key in FRAMEWORK},
        batch_size=value_of("batch_size", within=config, default=64),
    script:
        "../workflow_scripts/cover.py"


rule tabulate_coverage:
    """Tabulate the coverage of a model's neurons by each image set."""
    input:
        records=expand("<study>/coverage/{model}.parquet", model=MODELS),
        code=code_of("workflow_scripts/tabulate_coverage.py"),
    output:
        table=table("<study>/tables/coverage.csv", "framework", "coverage of neurons"),
    log:
        "<study>/logs/tabulate_coverage.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/tabulate_coverage.py"


rule tabulate_behaviour:
    """Tabulate accuracy and confidence under attack, how visible attacks are, and models' twins."""
    input:
        transfers=transfers(),
        visible=expand("<study>/visibility/{model}.parquet", model=MODELS if ATTACKS else []),
        clean=records_of("clean"),
        cards=expand("results/models/{model}/card.json", model=MODELS),
        code=code_of("workflow_scripts/tabulate_behaviour.py"),
    output:
        behaviour=table("<study>/tables/behaviour.csv", "framework", "under attack"),
        visible=table("<study>/tables/imperceptibility.csv", "framework", "visibility of attacks"),
        twins=table("<study>/tables/twins.csv", "framework", "defended against undefended"),
    log:
        "<study>/logs/tabulate_behaviour.log",
    conda:
        "../environment.yml"
    params:
        tests={attack: TESTS[attack] for attack in ATTACKS},
        twins=TWINS,
    script:
        "../workflow_scripts/tabulate_behaviour.py"


rule tabulate_framework:
    """Tabulate every metric of the framework for every model, raw and from 0 to 1."""
    input:
        tables=expand(
            "<study>/tables/{name}.csv",
            name=[name for name in FRAMEWORK_TABLES if name in TABLES],
        ),
        code=code_of("workflow_scripts/tabulate_framework.py"),
    output:
        table=table("<study>/tables/framework.csv", "framework", "all metrics"),
    log:
        "<study>/logs/tabulate_framework.log",
    conda:
        "../environment.yml"
    params:
        models=MODELS,
        architectures={model: architecture_of(CATALOGUE["models"][model]) for model in MODELS},
    script:
        "../workflow_scripts/tabulate_framework.py"


rule draw_framework:
    """Draw one page for each model: a radar over the groups of metrics, raw numbers beside it."""
    input:
        table="<study>/tables/framework.csv",
        code=code_of("workflow_scripts/draw_framework.py"),
    output:
        svg=[figure(f"<study>/figures/framework/{m}.svg", f"framework, {m}") for m in MODELS],
        pdf=expand("<study>/figures/framework/{model}.pdf", model=MODELS),
        png=expand("<study>/figures/framework/{model}.png", model=MODELS),
    log:
        "<study>/logs/draw_framework.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_framework.py"
