"""The look that all figures share, and saving them so that the same figure is the same bytes."""

import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from robusteval.files import replacing

P = ParamSpec("P")

WIDTH, HEIGHT = 7.2, 9.2  # inches, the text of a journal page
SMALL = 6.0  # points, the smallest text that is printed where there is a choice
GREY = "#6b6b6b"

# Okabe & Ito (2008), told apart by colour-blind readers; their yellow is lost on white paper.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#e69f00", "#56b4e9")
MARKERS = ("o", "s", "^", "D", "v", "P")

LOOK: dict[Any, Any] = {
    "figure.dpi": 300,
    "savefig.dpi": "figure",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib: the same on every machine
    "font.size": 7,
    "axes.titlesize": 7.5,
    "axes.labelsize": 7,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "legend.fontsize": 6.5,
    "legend.title_fontsize": 6.5,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.axisbelow": True,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "grid.linewidth": 0.4,
    "grid.color": "#d9d9d9",
    "lines.linewidth": 1.0,
    "hatch.linewidth": 0.4,
    "image.interpolation": "nearest",
    "text.parse_math": False,  # ids are text, whatever signs they hold
    "pdf.fonttype": 42,  # text stays text, as journals ask
    "svg.fonttype": "path",
    "svg.hashsalt": "robusteval",  # ids in the file would be random otherwise
}

# What matplotlib would write about the time of saving, by format.
UNDATED: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "png": {},
}


class Mark(NamedTuple):
    """How one model is drawn in every figure."""

    colour: str
    marker: str


def marks(names: Iterable[str]) -> dict[str, Mark]:
    """Return a mark for each name, in order; after seven colours the marker changes."""
    unique = list(dict.fromkeys(names))
    n = len(COLOURS)
    return {
        name: Mark(COLOURS[i % n], MARKERS[i // n % len(MARKERS)]) for i, name in enumerate(unique)
    }


@contextmanager
def look() -> Iterator[None]:
    """Apply the house look, whatever the user's own settings are, for the length of a block."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(LOOK)
        yield


def house(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Make a drawing function use the house look and return a figure whose layout is settled."""

    @functools.wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with look():
            figure = draw(*args, **kwargs)
            settle(figure)
        return figure

    return drawn


def settle(figure: Figure) -> None:
    """Run the layout engine once and take it away.

    It moves the axes a little each time it runs, so that a second save would differ from the first.
    """
    if figure.get_layout_engine() is not None:
        figure.draw_without_rendering()
        figure.set_layout_engine("none")


def grid_shape(count: int, most: int) -> tuple[int, int]:
    """Return (rows, columns) for ``count`` panels, at most ``most`` a row, with few left over."""
    rows = -(-count // most)
    return rows, -(-count // rows)


def panels(
    count: int,
    *,
    most: int,
    size: tuple[float, float],
    labels: Iterable[str] = (),
    around: float = 0.0,
    xlabel: str = "",
    ylabel: str = "",
) -> tuple[Figure, list[Axes]]:
    """Return a figure of ``count`` equal panels, ``size`` inches wide and high, and their axes.

    At most ``most`` stand in a row, and they share their y axis. Room is added once for
    ``labels``, the texts left of the first column, and ``around`` inches for what is written
    above and below all panels. What x means stands in each row that has no whole row below, y at
    the first column.
    """
    rows, columns = grid_shape(count, most)
    width, height = columns * size[0] + text_width(labels), rows * size[1] + around
    figure = Figure(figsize=(width, height), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False, sharey=True)
    for axes in grid.flat[count:]:
        axes.remove()
    for i, axes in enumerate(grid.flat[:count]):
        labelled = (i // columns + 2) * columns > count  # no whole row of panels is below
        axes.tick_params(axis="x", labelbottom=labelled)
        axes.set_xlabel(xlabel if labelled else "")
        axes.set_ylabel(ylabel if i % columns == 0 else "")
    return figure, list(grid.flat[:count])


def text_width(labels: Iterable[str]) -> float:
    """Return about how many inches the longest of ``labels`` takes as a tick label."""
    return 0.056 * max((len(label) for label in labels), default=0)


def wrapped(name: str, inches: float) -> str:
    """Return ``name`` broken after underscores into lines that are about ``inches`` wide as titles.

    A part without underscores is never broken, so it may still be longer.
    """
    lines = [""]
    for part in name.replace("_", "_\n").split("\n"):
        if lines[-1] and text_width([lines[-1] + part]) * 1.1 > inches:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def nothing_to_draw(reason: str) -> Figure:
    """Return a figure that says why there is none, for a cell that could not be measured."""
    with look():
        figure = Figure(figsize=(WIDTH, 0.6))
        figure.text(0.5, 0.5, f"n/a: {reason}", ha="center", va="center", wrap=True, color=GREY)
    return figure


def save(figure: Figure, paths: Iterable[str | Path]) -> None:
    """Write the figure to every path, in the format of its suffix: ``.svg``, ``.pdf`` or ``.png``.

    Each file appears whole or not at all, and the same figure gives the same bytes.

    Raises:
        ValueError: a suffix is none of the three; nothing has been written then.
    """
    targets = [Path(path) for path in paths]
    for path in targets:
        if path.suffix[1:] not in UNDATED:
            expected = ", ".join(f".{suffix}" for suffix in UNDATED)
            raise ValueError(f"{path.name}: expected one of {expected}")
    with look():
        settle(figure)
        for path in targets:
            suffix = path.suffix[1:]
            with replacing(path) as temporary:
                figure.savefig(temporary, format=suffix, metadata=UNDATED[suffix])
