"""Draw confidence histograms with the threshold."""

import pandas as pd

from robusteval.figures._style import nothing_to_draw, save
from robusteval.figures.confidence_histograms import confidence_histograms
from workflow_scripts._scores import PROBABILITY


def draw_confidence(table: str, paths: list[str]) -> None:
    """Draw a table and write the figure to every path."""
    frame = pd.read_csv(table)
    if frame.empty:
        save(nothing_to_draw("no model could be measured"), paths)
    else:
        save(confidence_histograms(frame, **label_of(frame["score"].iloc[0])), paths)


def label_of(score: str) -> dict[str, str]:
    """Return what the axis is called; a probability is what the figure draws unless told."""
    if score == PROBABILITY:
        return {}
    return {"label": f"score {score} (larger is more certain)"}


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        draw_confidence(snakemake.input.table, list(snakemake.output))
