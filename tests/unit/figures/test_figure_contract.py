"""What holds for every figure, found by its file."""

import copy
import subprocess
import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest

from robusteval import plugins
from robusteval.figures._style import save

every_figure = pytest.mark.parametrize("name", plugins.names("figures"))
OF_ONE = ("examples", "adversarial_examples", "searched_examples", "framework_page")  # of one model
TABLES = [n for n in plugins.names("figures") if n not in OF_ONE]
every_table_figure = pytest.mark.parametrize("name", TABLES)
PIXEL = 1.0  # text boxes are rounded to whole pixels, of which there are 300 an inch


def save_all(figure, folder):
    """Save in the three formats and return the bytes by file name."""
    save(figure, [folder / f"figure.{suffix}" for suffix in ("svg", "pdf", "png")])
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@every_figure
def test_same_bytes_again_whatever_the_settings_of_the_user(name, small, tmp_path):
    figure = small.draw(name)
    first = save_all(figure, tmp_path)
    assert list(first) == ["figure.pdf", "figure.png", "figure.svg"]
    save(figure, [tmp_path / "figure.svg"])
    assert (tmp_path / "figure.svg").read_bytes() == first["figure.svg"]
    with matplotlib.rc_context({"font.size": 20, "axes.grid": True, "svg.hashsalt": None}):
        assert save_all(type(small)(2).draw(name), tmp_path) == first
        assert matplotlib.rcParams["font.size"] == 20


@every_figure
def test_no_text_is_cut_off_or_overlaps_another(name, tables, visible_texts):
    figure = tables.drawn(name)
    texts, boxes = visible_texts(figure)
    assert boxes[:, :2].min() >= -PIXEL, "left or below of the page"
    assert (boxes[:, 2:] <= figure.bbox.size + PIXEL).all(), "right or above of the page"
    width = np.minimum(boxes[:, None, 2], boxes[:, 2]) - np.maximum(boxes[:, None, 0], boxes[:, 0])
    height = np.minimum(boxes[:, None, 3], boxes[:, 3]) - np.maximum(boxes[:, None, 1], boxes[:, 1])
    over = np.argwhere(np.triu((width > PIXEL) & (height > PIXEL), k=1))
    assert [(texts[a], texts[b]) for a, b in over] == []


@every_figure
def test_fits_a_page(name, tables):
    width, height = tables.drawn(name).get_size_inches()
    assert width < 8.3  # A4 paper in inches
    assert height < 11.7


@every_table_figure
def test_every_model_is_named(name, tables, visible_texts):
    texts, _ = visible_texts(tables.drawn(name))
    unwrapped = {text.replace("\n", "") for text in texts}
    assert set(tables.models) <= unwrapped


@every_table_figure
def test_axes_are_labelled(name, tables):
    figure = tables.drawn(name)
    of_axes = [axes.get_xlabel() for axes in figure.axes]
    assert any([*of_axes, figure.get_supxlabel()])


@every_figure
def test_broken_cells_are_marked(name, small, visible_texts):
    texts, _ = visible_texts(small.drawn(name))
    marks = sum("n/a" in text for text in texts)
    # DAR has two broken cells: a kind of data that is missing leaves no mean either.
    sheets = ("examples", "adversarial_examples", "searched_examples")  # have no cells
    assert marks == {**dict.fromkeys(sheets, 0), "dar_by_kind": 2}.get(name, 1)


@every_figure
def test_leaves_what_it_is_given_alone(name, small):
    given = small.given(name)
    before = copy.deepcopy(given)
    plugins.load("figures", name)(*given)
    for now, then in zip(given, before, strict=True):
        if isinstance(now, pd.DataFrame):
            pd.testing.assert_frame_equal(now, then)
        elif isinstance(now, dict):
            for key in then:
                np.testing.assert_array_equal(now[key], then[key])
        else:
            np.testing.assert_array_equal(now, then)


@every_table_figure
def test_missing_column(name, small):
    (frame,) = small.given(name)
    names = ["model", "source", "method"]
    with pytest.raises(ValueError, match=r"columns \['(model|source|method)'\] are missing"):
        plugins.load("figures", name)(frame.drop(columns=names, errors="ignore"))


@every_table_figure
def test_no_rows(name, small):
    (frame,) = small.given(name)
    with pytest.raises(ValueError, match="no rows"):
        plugins.load("figures", name)(frame.iloc[:0])


@every_table_figure
def test_a_cell_given_twice(name, small):
    (frame,) = small.given(name)
    with pytest.raises(ValueError, match="2 rows or more"):
        plugins.load("figures", name)(pd.concat([frame, frame.iloc[:1]]))


@every_table_figure
def test_all_cells_broken(name, small, visible_texts):
    (frame,) = small.given(name)
    frame = frame.assign(**({"status": "failed"} if "status" in frame else {"count": np.nan}))
    texts, _ = visible_texts(plugins.load("figures", name)(frame))
    assert any("n/a" in text for text in texts)


def test_figures_need_no_pyplot_and_no_other_heavy_import():
    modules = ", ".join(f"robusteval.figures.{name}" for name in plugins.names("figures"))
    heavy = {"matplotlib.pyplot", "torch", "scipy", "sklearn"}
    code = f"import sys, {modules}; print(sorted({heavy} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_library_outside_figures_needs_no_matplotlib():
    packages = [f"robusteval.{p}" for p in ("metrics.auroc", "metrics.dar", "scores.max_softmax")]
    code = f"import sys, {', '.join(packages)}; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
