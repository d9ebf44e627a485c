"""Draw how often each attack setting succeeds on each model."""

import pandas as pd

from robusteval.figures._style import nothing_to_draw, save
from robusteval.figures.success_by_attack import success_by_attack
from workflow_scripts._populations import SOURCE

SETTING = ["attack", "condition", "goal"]


def draw_success(table: str, paths: list[str]) -> None:
    """Draw success on the images that each model gets right before the attack."""
    frame = pd.read_csv(table)
    own = frame[frame["population"] == SOURCE]
    if own.empty:
        save(nothing_to_draw("no attack could be measured"), paths)
        return
    # A cell that failed has one row, without a condition: a gap in each of its attack's settings.
    settings = own[SETTING].drop_duplicates()
    models = frame["model"].drop_duplicates().to_frame()
    cells = settings.merge(models, how="cross").merge(own, on=[*SETTING, "model"], how="left")
    save(success_by_attack(cells.fillna({"status": "not measured"})), paths)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_success(snakemake.input.table, list(snakemake.output))
