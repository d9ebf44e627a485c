"""Figures of example images, drawn from the image sets themselves.

INPUTS: image sets in the view of one model, adversarial shards made against it
OUTPUTS: <study>/figures/examples.*, <study>/figures/adversarial_examples.*
"""


rule draw_examples:
    """Draw example images of every kind of data."""
    input:
        clean=f"<clean>/{VIEW[SHOWN]}/card.json",
        corrupt=shown("corrupt"),
        novel=shown("novel"),
        unrecognisable=shown("unrecognisable"),
        adversarial=[f"<study>/adversarial/{SHOWN}.list"] if ATTACKS else [],
        code=code_of("workflow_scripts/draw_examples.py"),
    output:
        svg=figure("<study>/figures/examples.svg", "examples of the kinds of data"),
        pdf="<study>/figures/examples.pdf",
        png="<study>/figures/examples.png",
    log:
        "<study>/logs/draw_examples.log",
    conda:
        "../environment.yml"
    params:
        n=min(config["counts"].values()),
        seed=config["seed"],
    script:
        "../workflow_scripts/draw_examples.py"


rule draw_adversarial_examples:
    """Draw images made against the baseline by each attack, and what was changed."""
    input:
        clean=f"<clean>/{VIEW[SHOWN]}/card.json",
        adversarial=[f"<study>/adversarial/{SHOWN}.list"] if ATTACKS else [],
        code=code_of("workflow_scripts/draw_adversarial_examples.py"),
    output:
        svg=figure("<study>/figures/adversarial_examples.svg", "examples of the attacks"),
        pdf="<study>/figures/adversarial_examples.pdf",
        png="<study>/figures/adversarial_examples.png",
    log:
        "<study>/logs/draw_adversarial_examples.log",
    conda:
        "../environment.yml"
    script:
        "../workflow_scripts/draw_adversarial_examples.py"
