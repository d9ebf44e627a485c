"""Accuracy against robustness: laws over the models, and which sources transfer.

INPUTS: <study>/tables/{accuracy,attacks,clever,transfer}.csv
OUTPUTS: <study>/tables/{laws,law_points,law_effects,transfer_sources}.csv, <study>/figures/
"""


rule tabulate_laws:
    """Fit distortion against accuracy over the study's models, and on their Pareto frontier."""
    input:
        accuracy="<study>/tables/accuracy.csv",
        attacks="<study>/tables/attacks.csv" if ATTACKS else [],
        clever="<study>/tables/clever.csv" if CLEVER else [],
        code=code_of("workflow_scripts/tabulate_laws.py"),
    output:
        laws=table("<study>/tables/laws.csv", "laws", "fits"),
        points=table("<study>/tables/law_points.csv", "laws", "models"),
        effects=table("<study>/tables/law_effects.csv", "laws", "family and depth"),
    log:
        "<study>/logs/tabulate_laws.log",
    conda:
        "../environment.yml"
    params:
        families=FAMILY,
        depths=DEPTH,
        without=["alexnet", "vgg"],
        seed=config["seed"],
        resamples=2000,
    script:
        "../workflow_scripts/tabulate_laws.py"


rule tabulate_transfer_sources:
    """Tabulate which sources' adversarial images transfer widely."""
    input:
        transfer="<study>/tables/transfer.csv",
        code=code_of("workflow_scripts/tabulate_transfer_sources.py"),
    output:
        table=table("<study>/tables/transfer_sources.csv", "transfer", "source"),
    log:
        "<study>/logs/tabulate_transfer_sources.log",
    conda:
        "../environment.yml"
    params:
        families=FAMILY,
    script:
        "../workflow_scripts/tabulate_transfer_sources.py"


rule draw_laws:
    """Draw accuracy against distortion with fits and frontier, over what each model gets right."""
    input:
        points="<study>/tables/law_points.csv",
        laws="<study>/tables/laws.csv",
        code=code_of("workflow_scripts/draw_laws.py"),
    output:
        svg=figure("<study>/figures/laws.svg", "accuracy against distortion"),
        pdf="<study>/figures/laws.pdf",
        png="<study>/figures/laws.png",
    log:
        "<study>/logs/draw_laws.log",
    conda:
        "../environment.yml"
    params:
        attacks={test: TESTS[test].get("attack", "clever") for test in ATTACKS + CLEVER},
    script:
        "../workflow_scripts/draw_laws.py"


rule draw_laws_common:
    """Draw the same over the images that every model gets right."""
    input:
        points="<study>/tables/law_points.csv",
        laws="<study>/tables/laws.csv",
        code=code_of("workflow_scripts/draw_laws_common.py"),
    output:
        svg=figure("<study>/figures/laws_common.svg", "accuracy against distortion, common"),
        pdf="<study>/figures/laws_common.pdf",
        png="<study>/figures/laws_common.png",
    log:
        "<study>/logs/draw_laws_common.log",
    conda:
        "../environment.yml"
    params:
        attacks={attack: TESTS[attack]["attack"] for attack in ATTACKS},
    script:
        "../workflow_scripts/draw_laws_common.py"


rule draw_success:
    """Draw the success of each attack on each model."""
    input:
        table="<study>/tables/attacks.csv",
        code=code_of("workflow_scripts/draw_success.py"),
    output:
        svg=figure("<study>/figures/success.svg", "success of attacks"),
        pdf="<study>/figures/success.pdf",
        png="<study>/figures/success.png",
    log:
        "<study>/logs/draw_success.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_success.py"


rule draw_transfer_sources:
    """Draw which sources' adversarial images transfer widely."""
    input:
        table="<study>/tables/transfer_sources.csv",
        code=code_of("workflow_scripts/draw_transfer_sources.py"),
    output:
        svg=figure("<study>/figures/transfer_sources.svg", "sources that transfer"),
        pdf="<study>/figures/transfer_sources.pdf",
        png="<study>/figures/transfer_sources.png",
    log:
        "<study>/logs/draw_transfer_sources.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_transfer_sources.py"


rule draw_attack_transfer:
    """Draw the transfer matrices of one attack, for studies with too many for one figure."""
    input:
        table="<study>/tables/transfer.csv",
        code=code_of("workflow_scripts/draw_attack_transfer.py"),
    output:
        svg=figure("<study>/figures/transfer/{attack}.svg", "transfer of {attack}"),
        pdf="<study>/figures/transfer/{attack}.pdf",
        png="<study>/figures/transfer/{attack}.png",
    log:
        "<study>/logs/draw_attack_transfer/{attack}.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_attack_transfer.py"
