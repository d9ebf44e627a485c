"""The loader of published denominators, and what the project's file of them holds."""

from pathlib import Path

import pytest

from robusteval.corruptions._parts import EXTRA, FIFTEEN
from robusteval.published.corruption_errors import corruption_errors
from robusteval.published.rows import read_rows

PUBLISHED = Path(__file__).parents[3] / "config/published/alexnet_corruption_error.csv"
HEAD = "model,what,test,condition,value,unit,n,preprocessing,source,licence,grade\n"
CLEAN = "a,error,imagenet_validation,,0.4,fraction,,,here,MIT,own\n"
FOG = "a,error,imagenet_c,fog,0.5,fraction,,,there,MIT,own\n"
ROWS = CLEAN + FOG + "a,error,imagenet_c,spatter,60,percent,,,there,MIT,own\n"


@pytest.fixture
def write(tmp_path):
    def file(text):
        (tmp_path / "errors.csv").write_text(text)
        return tmp_path / "errors.csv"

    return file


def test_a_file_is_read_by_name(write):
    others = CLEAN.replace("a,", "b,", 1) + "a,error,imagenet_c,fog 3,0.7,fraction,,,x,MIT,own\n"
    read = corruption_errors(write(HEAD + others + ROWS), "a")
    assert (read.name, read.release, read.clean) == ("a", "imagenet_c", 0.4)
    assert read.errors == {"fog": 0.5, "spatter": 0.6}
    assert read.part == {"fog": "fifteen", "spatter": "extra"}
    assert read.source == "x; here; there"


def test_alexnet_of_imagenet_c():
    read = corruption_errors(PUBLISHED, "alexnet_imagenet_c")
    assert [c for c, part in read.part.items() if part == "fifteen"] == list(FIFTEEN)
    assert [c for c, part in read.part.items() if part == "extra"] == list(EXTRA)
    # Forks in another order swap these two; the file has them by name.
    rows = {r.condition: r.value for r in read_rows(PUBLISHED) if r.model == "alexnet_imagenet_c"}
    assert (read.errors["frost"], read.errors["fog"]) == (rows["frost"], rows["fog"])
    assert read.errors["frost"] != read.errors["fog"] and read.clean == rows[""]


def test_alexnet_of_robustbench_is_another():
    read = corruption_errors(PUBLISHED, "alexnet_robustbench")
    assert list(read.errors) == list(FIFTEEN)  # it has none of the extra ones
    other = corruption_errors(PUBLISHED, "alexnet_imagenet_c")
    assert all(read.errors[c] != other.errors[c] for c in FIFTEEN)


def test_the_names_that_a_study_may_give_as_baseline_stand_first_in_their_lines():
    """The check of a study, which has no time for a reader, takes what stands before the comma."""
    lines = PUBLISHED.read_text().splitlines()[1:]
    names = {row.model for row in read_rows(PUBLISHED)}
    assert {line.split(",")[0] for line in lines} == names


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD + ROWS.replace("a,err", "z,err"), "no published errors of 'a'; there are z"),
        (HEAD.replace("unit,", "") + "a\n", r"columns \['unit'\] are missing"),
        (HEAD + ROWS + FOG, "imagenet_c, fog stands at"),
        (HEAD + ROWS + FOG.replace("there", "elsewhere"), "stands there twice; keep one row"),
        (HEAD + ROWS.replace("0.5", "0.0"), "fog: error 0.0; above 0 expected"),
        (HEAD + FOG, "0 clean errors"),
        (HEAD + ROWS + FOG.replace("imagenet_c", "cifar10_c"), r"\['cifar10_c', 'imagenet_c'\]"),
    ],
)
def test_a_mistake_is_one_line_that_names_it(write, text, message):
    with pytest.raises(ValueError, match=message) as error:
        corruption_errors(write(text), "a")
    assert "errors.csv" in str(error.value) and "\n" not in str(error.value)
