"""How often images made against one model fool another, a matrix for each attack."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from robusteval.figures._cells import colour_bar, draw_cells, fit_numbers
from robusteval.figures._frames import check_frame, images_text, order, wide
from robusteval.figures._style import COLOURS, house, panels, text_width, wrapped

VALUE = "rate_pct_higher_transfers_more"


@house
def transfer_matrices(frame: pd.DataFrame, *, rate: str = "wrong at the target") -> Figure:
    """Return one matrix for each attack and condition, source models x target models.

    ``frame`` has one row for each ``attack``, ``condition``, ``source`` and ``target``, with
    ``n``, ``rate_pct_higher_transfers_more`` and ``status``; ``rate`` says what is counted. Cells
    in which a model meets its own images (white box) are outlined.

    Raises:
        ValueError: a column is missing, there are no rows, or a cell stands there twice.
    """
    key = ["attack", "condition", "source", "target"]
    check_frame(frame, [*key, "n", VALUE, "status"], key)
    sources, targets = order(frame, "source"), order(frame, "target")
    # The same models in the same order on both sides put the white-box cells on the diagonal.
    targets = [t for t in sources if t in targets] + [t for t in targets if t not in sources]
    named = frame.assign(
        condition=["" if pd.isna(condition) else str(condition) for condition in frame["condition"]]
    )
    settings = list(named.groupby(["attack", "condition"], sort=False))
    m = len(targets)
    # Inches: room for the number at 18 models, no giants at 2, and a label's width at 1.
    cell = max(0.17, min(0.4, 1.8 / m), 0.8 / m)
    width, height = cell * m + 0.15, cell * len(sources) + 0.4
    figure, grid = panels(
        len(settings),
        most=max(1, int(6.5 / width)),
        size=(width, height),
        labels=sources,
        around=text_width(targets) + 0.8,
        xlabel="target model",
        ylabel="source model",
    )
    drawn = []
    for axes, ((attack, condition), rows) in zip(grid, settings, strict=True):
        table = wide(
            rows,
            VALUE,
            rows="source",
            columns="target",
            row_order=sources,
            column_order=targets,
        )
        drawn.append((axes, draw_cells(axes, table)))
        outline_white_box(axes, sources, targets)
        axes.set_title("\n".join(wrapped(str(text), width) for text in (attack, condition) if text))
        axes.tick_params(axis="x", rotation=90)
    label = f"{rate}, %\n({images_text(frame)}; higher transfers more)"
    colour_bar(figure, grid, label)
    fit_numbers(figure, drawn)
    return figure


def outline_white_box(axes: Axes, sources: list[str], targets: list[str]) -> None:
    """Outline the cells whose source and target are the same model."""
    for row, source in enumerate(sources):
        if source in targets:
            corner = (targets.index(source), row)
            axes.add_patch(
                Rectangle(corner, 1, 1, fill=False, ec=COLOURS[1], lw=1.2, zorder=3, clip_on=False)
            )
