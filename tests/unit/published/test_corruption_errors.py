"""The loader of published denominators, and what the project's file of them holds."""

from pathlib import Path

import pytest

from robusteval.corruptions._parts import EXTRA, FIFTEEN
from robusteval.published.corruption_errors import corruption_errors

PUBLISHED = Path(__file__).parents[3] / "config/published/alexnet_corruption_error.csv"
HEAD = "name,release,corruption,part,value,source\n"
ROWS = "a,c,clean,clean,0.4,here\na,c,fog,fifteen,0.5,there\na,c,spatter,extra,0.6,there\n"


@pytest.fixture
def write(tmp_path):
    def file(text):
        (tmp_path / "errors.csv").write_text(text)
        return tmp_path / "errors.csv"

    return file


def test_a_file_is_read_by_name(write):
    read = corruption_errors(write(HEAD + "b,c,clean,clean,0.1,x\n" + ROWS), "a")
    assert (read.name, read.release, read.clean) == ("a", "c", 0.4)
    assert read.errors == {"fog": 0.5, "spatter": 0.6}
    assert read.part == {"fog": "fifteen", "spatter": "extra"}
    assert read.source == "here; there"


def test_alexnet_of_imagenet_c():
    read = corruption_errors(PUBLISHED, "alexnet_imagenet_c")
    assert [c for c, part in read.part.items() if part == "fifteen"] == list(FIFTEEN)
    assert [c for c, part in read.part.items() if part == "extra"] == list(EXTRA)
    assert read.clean == 0.435
    # The mean over the fifteen, published as .7890.
    assert round(sum(read.errors[c] for c in FIFTEEN) / 15, 4) == 0.7890
    # Three of the published numbers, those that forks in another order get wrong.
    assert (read.errors["frost"], read.errors["fog"]) == (0.826572, 0.819324)
    assert read.errors["saturate"] == 0.6583


def test_alexnet_of_robustbench_is_another():
    read = corruption_errors(PUBLISHED, "alexnet_robustbench")
    assert list(read.errors) == list(FIFTEEN)  # it has none of the extra ones
    assert round(100 * (1 - sum(read.errors.values()) / 15), 2) == 21.12  # its published accuracy
    assert read.clean == pytest.approx(1 - 0.5624, abs=1e-12)  # one rounding of the subtraction


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + ROWS.replace("a,", "z,"), "no published errors of 'a'; there are z"),
        (HEAD.replace(",part", "") + "a,c,fog,0.5,x\n", r"columns \['part'\] are missing"),
        (HEAD + ROWS + "a,c,fog,fifteen,0.5,x\n", "fog stands there twice"),
        (HEAD + ROWS.replace("0.5", "50"), "fog: value '50'; an error above 0, at most 1"),
        (HEAD + ROWS.replace("0.5", "0"), "fog: value '0'"),
        (HEAD + ROWS.replace("0.5", "?"), r"fog: value '\?'"),
        (HEAD + ROWS.replace("fifteen", "15"), "fog: part '15'; clean, fifteen, extra expected"),
        (HEAD + "a,c,fog,fifteen,0.5,x\n", "0 clean errors"),
        (HEAD + ROWS.replace("a,c,fog", "a,d,fog"), r"releases \['c', 'd'\]"),
    ],
)
def test_a_mistake_is_one_line_that_names_it(write, text, message):
    with pytest.raises(ValueError, match=message) as error:
        corruption_errors(write(text), "a")
    assert "errors.csv" in str(error.value) and "\n" not in str(error.value)
