"""Figures: drawn from tables; example images from the image sets themselves.

INPUTS: <study>/tables/*.csv, image sets, adversarial shards
OUTPUTS: <study>/figures/*.{svg,pdf,png}, <study>/report.html
"""


rule draw_accuracy:
    """Draw accuracy per test with intervals."""
    input:
        table="<study>/tables/accuracy_by_test.csv",
        code="robusteval/figures/accuracy_by_test.py",
    output:
        svg=report(
            "<study>/figures/accuracy.svg",
            caption="../report/draw_accuracy.rst",
            category="Figures",
            labels={"figure": "accuracy"},
        ),
        pdf="<study>/figures/accuracy.pdf",
        png="<study>/figures/accuracy.png",
    log:
        "<study>/logs/draw_accuracy.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_accuracy.py"


rule draw_corruption_error:
    """Draw errors by corruption and severity as a heat map per model."""
    input:
        table="<study>/tables/corruption_error.csv",
        code="robusteval/figures/corruption_heatmap.py",
    output:
        svg=report(
            "<study>/figures/corruption_error.svg",
            caption="../report/draw_corruption_error.rst",
            category="Figures",
            labels={"figure": "corruption error"},
        ),
        pdf="<study>/figures/corruption_error.pdf",
        png="<study>/figures/corruption_error.png",
    log:
        "<study>/logs/draw_corruption_error.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_corruption_error.py"


rule draw_transfer:
    """Draw transfer matrices with the white-box diagonal outlined."""
    input:
        table="<study>/tables/transfer.csv",
        code="robusteval/figures/transfer_matrices.py",
    output:
        svg=report(
            "<study>/figures/transfer.svg",
            caption="../report/draw_transfer.rst",
            category="Figures",
            labels={"figure": "transfer"},
        ),
        pdf="<study>/figures/transfer.pdf",
        png="<study>/figures/transfer.png",
    log:
        "<study>/logs/draw_transfer.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_transfer.py"


rule draw_dar:
    """Draw DAR by kind of data."""
    input:
        table="<study>/tables/dar.csv",
        code="robusteval/figures/dar_by_kind.py",
    output:
        svg=report(
            "<study>/figures/dar.svg",
            caption="../report/draw_dar.rst",
            category="Figures",
            labels={"figure": "DAR"},
        ),
        pdf="<study>/figures/dar.pdf",
        png="<study>/figures/dar.png",
    log:
        "<study>/logs/draw_dar.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_dar.py"


rule draw_confidence:
    """Draw confidence histograms with the threshold."""
    input:
        table="<study>/tables/confidence_histogram.csv",
        code="robusteval/figures/confidence_histograms.py",
    output:
        svg=report(
            "<study>/figures/confidence.svg",
            caption="../report/draw_confidence.rst",
            category="Figures",
            labels={"figure": "confidence"},
        ),
        pdf="<study>/figures/confidence.pdf",
        png="<study>/figures/confidence.png",
    log:
        "<study>/logs/draw_confidence.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_confidence.py"


rule draw_examples:
    """Draw example images of every kind of data."""
    input:
        clean=f"results/images/{config['images']}/card.json",
        derived=expand(
            "<study>/images/{name}/card.json", name=CORRUPT + NOVEL + SCRAMBLED
        ),
        adversarial=expand(
            "<study>/adversarial/{model}/{attack}/card.json",
            model=config["baseline"],
            attack=ATTACKS,
        ),
        code="robusteval/figures/examples.py",
    output:
        svg=report(
            "<study>/figures/examples.svg",
            caption="../report/draw_examples.rst",
            category="Figures",
            labels={"figure": "examples of the kinds of data"},
        ),
        pdf="<study>/figures/examples.pdf",
        png="<study>/figures/examples.png",
    log:
        "<study>/logs/draw_examples.log",
    conda:
        "../environment.yml"
    params:
        kinds={test: entry["kind"] for test, entry in TESTS.items()},
        sets={test: entry.get("sets", []) for test, entry in TESTS.items()},
        n=min(config["counts"].values()),
        seed=config["seed"],
    script:
        "../workflow_scripts/draw_examples.py"


rule draw_adversarial_examples:
    """Draw images made against the baseline by each attack, and what was changed."""
    input:
        clean=f"results/images/{config['images']}/card.json",
        adversarial=expand(
            "<study>/adversarial/{model}/{attack}/card.json",
            model=config["baseline"],
            attack=ATTACKS,
        ),
        code="robusteval/figures/adversarial_examples.py",
    output:
        svg=report(
            "<study>/figures/adversarial_examples.svg",
            caption="../report/draw_adversarial_examples.rst",
            category="Figures",
            labels={"figure": "examples of the attacks"},
        ),
        pdf="<study>/figures/adversarial_examples.pdf",
        png="<study>/figures/adversarial_examples.png",
    log:
        "<study>/logs/draw_adversarial_examples.log",
    conda:
        "../environment.yml"
    params:
        titles={attack: TESTS[attack]["title"] for attack in ATTACKS},
    script:
        "../workflow_scripts/draw_adversarial_examples.py"


rule write_report:
    """Write tables and figures into one page that needs nothing else."""
    input:
        tables=expand("<study>/tables/{name}.csv", name=TABLES),
        figures=expand("<study>/figures/{name}.svg", name=FIGURES),
    output:
        page="<study>/report.html",
    log:
        "<study>/logs/write_report.log",
    conda:
        "../environment.yml"
    params:
        configfiles=[str(path) for path in workflow.configfiles],
    script:
        "../workflow_scripts/write_report.py"
