"""Draw the loss against the step of searches, and FMR by step size and budget."""

import pandas as pd

from robusteval.figures._style import nothing_to_draw, save
from robusteval.figures.searched_loss import searched_loss
from robusteval.figures.searched_settings import searched_settings


def draw_searched_steps(steps: str, settings: str, loss: list[str], grid: list[str]) -> None:
    """Draw both; controls have curves of loss, and no place in the grid."""
    frame = pd.read_csv(steps, keep_default_na=False, na_values=[""])
    if frame["status"].eq("ok").any():
        save(searched_loss(frame), loss)
    else:
        save(nothing_to_draw("no model could be searched"), loss)
    table = pd.read_csv(settings)
    own = table[table["control"].isna() & (table["status"] == "ok")]
    own = own.drop_duplicates(["model", "test", "step_size", "budget"])  # sparse ones come later
    if own.empty:
        save(nothing_to_draw("no model could be searched"), grid)
        return
    save(searched_settings(own), grid)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_searched_steps(
            snakemake.input.steps,
            snakemake.input.settings,
            [snakemake.output.loss_svg, *snakemake.output.loss],
            [snakemake.output.settings_svg, *snakemake.output.settings],
        )
