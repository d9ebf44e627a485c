"""DAR, one score for every kind of data: tables of it, of its open choices, of ranks by it.

INPUTS: <study>/scores/{model}/{test}.parquet
OUTPUTS: <study>/tables/{dar*,kind_rank*,confidence_histogram}.csv, <study>/figures/
"""

DAR = {"averaging": "kinds"} | config["dar"]


rule tabulate_dar:
    """Tabulate DAR by kind of data, image set and score, and the confidences it rests on."""
    input:
        scored=SCORED,
        searched=SCORED_SEARCHES,
        code=code_of("workflow_scripts/tabulate_dar.py"),
    output:
        by_kind=table("<study>/tables/dar.csv", "DAR", "kind of data"),
        by_set=table("<study>/tables/dar_by_set.csv", "DAR", "image set"),
        by_score=table("<study>/tables/dar_by_score.csv", "DAR", "score"),
        histogram="<study>/tables/confidence_histogram.csv",
    log:
        "<study>/logs/tabulate_dar.log",
    conda:
        "../environment.yml"
    params:
        kinds=KIND_OF,
        scores=SCORES,
        options=DAR,
        seed=config["seed"],
    script:
        "../workflow_scripts/tabulate_dar.py"


rule tabulate_dar_sensitivity:
    """Tabulate what each choice that DAR leaves open moves, one at a time."""
    input:
        scored=SCORED,
        code=code_of("workflow_scripts/tabulate_dar_sensitivity.py"),
    output:
        table=table("<study>/tables/dar_sensitivity.csv", "DAR", "open choices"),
    log:
        "<study>/logs/tabulate_dar_sensitivity.log",
    conda:
        "../environment.yml"
    params:
        kinds=KIND_OF,
        scores=SCORES,
        options=DAR,
        seed=config["seed"],
    script:
        "../workflow_scripts/tabulate_dar_sensitivity.py"


rule tabulate_dar_curve:
    """Tabulate DAR of known and of unknown images as the threshold moves."""
    input:
        scored=SCORED,
        code=code_of("workflow_scripts/tabulate_dar_curve.py"),
    output:
        table="<study>/tables/dar_curve.csv",
    log:
        "<study>/logs/tabulate_dar_curve.log",
    conda:
        "../environment.yml"
    params:
        kinds=KIND_OF,
        scores=SCORES,
        options=DAR,
        seed=config["seed"],
    script:
        "../workflow_scripts/tabulate_dar_curve.py"


rule tabulate_kind_ranking:
    """Tabulate the ranks of the models under each kind of data, and how far they agree."""
    input:
        table="<study>/tables/dar.csv",
        code=code_of("workflow_scripts/tabulate_kind_ranking.py"),
    output:
        ranks=table("<study>/tables/kind_ranks.csv", "ranking", "models"),
        agreement=table("<study>/tables/kind_ranking.csv", "ranking", "agreement of kinds"),
    log:
        "<study>/logs/tabulate_kind_ranking.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/tabulate_kind_ranking.py"


rule draw_dar:
    """Draw DAR by kind of data."""
    input:
        table="<study>/tables/dar.csv",
        code=code_of("workflow_scripts/draw_dar.py"),
    output:
        svg=figure("<study>/figures/dar.svg", "DAR"),
        pdf="<study>/figures/dar.pdf",
        png="<study>/figures/dar.png",
    log:
        "<study>/logs/draw_dar.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_dar.py"


rule draw_dar_curve:
    """Draw DAR of known against DAR of unknown images as the threshold moves."""
    input:
        table="<study>/tables/dar_curve.csv",
        code=code_of("workflow_scripts/draw_dar_curve.py"),
    output:
        svg=figure("<study>/figures/dar_curve.svg", "DAR as the threshold moves"),
        pdf="<study>/figures/dar_curve.pdf",
        png="<study>/figures/dar_curve.png",
    log:
        "<study>/logs/draw_dar_curve.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_dar_curve.py"


rule draw_kind_ranking:
    """Draw the ranking of the models under each kind of data."""
    input:
        ranks="<study>/tables/kind_ranks.csv",
        agreement="<study>/tables/kind_ranking.csv",
        code=code_of("workflow_scripts/draw_kind_ranking.py"),
    output:
        svg=figure("<study>/figures/kind_ranking.svg", "ranking by kind of data"),
        pdf="<study>/figures/kind_ranking.pdf",
        png="<study>/figures/kind_ranking.png",
    log:
        "<study>/logs/draw_kind_ranking.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_kind_ranking.py"
