"""Draw DAR of known against DAR of unknown images as the threshold moves."""

import pandas as pd

from robusteval.figures._style import nothing_to_draw, save
from robusteval.figures.dar_curve import dar_curve


def draw_dar_curve(table: str, paths: list[str]) -> None:
    """Draw a table and write the figure to every path; without a usable row, one that says why."""
    frame = pd.read_csv(table)
    if (frame["status"] == "ok").any():
        save(dar_curve(frame), paths)
    else:
        save(nothing_to_draw(str(frame["status"].iloc[0])), paths)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_dar_curve(snakemake.input.table, list(snakemake.output))
