"""The one format of published numbers: what it takes and what it refuses."""

import pytest

from robusteval.published._checks import check_rows, choose_models, near_matches
from robusteval.published._row import About
from robusteval.published.rows import import_file, read_folder, read_rows, write_rows

HEAD = "model,what,test,condition,value,unit,n,preprocessing,source,licence,grade\n"
LINE = "net,accuracy,imagenet_validation,,71.1,percent,50000,,a paper,MIT,text\n"
CORRUPT = "net,accuracy,imagenet_c,fog 3,45.0,percent,,,a paper,MIT,text\n"


@pytest.fixture
def write(tmp_path):
    def file(text):
        (tmp_path / "mine.csv").write_text(text)
        return tmp_path / "mine.csv"

    return file


def test_rows_come_back_as_they_were_written(write, row, tmp_path):
    rows = [
        row("71.1", note='a note, with a comma and "quotes"'),
        row("0.390", unit="fraction", test="imagenet_c", condition="fifteen", n=None),
    ]
    write_rows(tmp_path / "rows.csv", rows)
    read = read_rows(tmp_path / "rows.csv")
    assert [(r.key, r.printed, r.unit, r.n, r.note) for r in read] == [
        (r.key, r.printed, r.unit, r.n, r.note) for r in rows
    ]
    assert read[1].percent == 39.0 and read[1].place.endswith("rows.csv, row 3")


def test_a_remark_and_a_note_are_no_numbers(write):
    text = HEAD.replace("grade", "grade,note") + "# mine,,,,,,,,,,,\n" + LINE.strip() + ",hm\n"
    (read,) = read_rows(write(text))
    assert (read.model, read.note, read.n) == ("net", "hm", 50_000)


@pytest.mark.parametrize(
    ("printed", "unit", "n", "half", "rounding"),
    [
        ("71.1", "percent", None, 0.05, 0.05),
        ("71.13", "percent", 50_000, 0.005, 0.005),  # images are steps of .002
        ("71.13", "percent", 10_000, 0.005, 0.0),  # steps of .01, two decimals hold them
        ("0.7113", "fraction", 5_000, 0.005, 0.0),
        ("71", "percent", 50_000, 0.5, 0.5),
        ("7.1e1", "percent", None, 0.5, 0.5),
    ],
)
def test_half_a_digit_is_what_rounding_can_have_taken(row, printed, unit, n, half, rounding):
    made = row(printed, unit=unit, n=n)
    assert made.half_digit == pytest.approx(half, rel=1e-12)  # powers of ten in float64
    assert made.rounding == pytest.approx(rounding, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HEAD.replace("licence,", "") + LINE, r"columns \['licence'\] are missing"),
        (HEAD.replace("grade", "grade,colour") + LINE, r"unknown columns \['colour'\]"),
        (HEAD + LINE.replace("a paper", "a paper, table 1"), "not as many cells as columns"),
        (HEAD + LINE.replace("text", ""), "grade ''; one of"),
        (HEAD + LINE.replace("text", "recalled"), "a recalled number is not published"),
        (HEAD + LINE.replace("percent", "%"), "unit '%'; one of percent, fraction, number"),
        (HEAD + LINE.replace("71.1", "71,1").replace("71,1", '"71,1"'), "value '71,1'; a number"),
        (HEAD + LINE.replace("71.1", "nan"), "value 'nan'; a number"),
        (HEAD + LINE.replace("71.1", "711"), "711 percent; 0 to 100 expected"),
        (HEAD + LINE.replace("percent", "fraction"), "is called a fraction; .* in percent"),
        (HEAD + LINE.replace("71.1", "0.711"), "write the unit fraction"),
        (HEAD + LINE.replace("50000", "50k"), "n '50k'; a number of images"),
        (HEAD + LINE.replace("a paper", ""), "source is empty"),
        (HEAD + LINE + LINE, "stands at .*row 2 already"),
        (HEAD + CORRUPT.replace("fog 3", "3"), "'3' is a place in a list .* key it by name"),
        (HEAD + CORRUPT.replace("fog 3", "c12"), "'c12' is a place in a list"),
        (HEAD + CORRUPT.replace("fog", "gausian_noise"), "did you mean gaussian_noise"),
    ],
)
def test_a_mistake_is_one_line_that_names_its_place(write, text, message):
    with pytest.raises(ValueError, match=message) as error:
        read_rows(write(text))
    assert "mine.csv" in str(error.value) and "\n" not in str(error.value)


def test_small_percentages_beside_others_are_no_fractions(write):
    text = HEAD + LINE + LINE.replace("validation,,71.1", "a,,0.48")
    assert [r.value for r in read_rows(write(text))] == [71.1, 0.48]


def test_an_unknown_model_is_refused_with_names_that_are_near(row):
    known = ["resnet50.tv_in1k", "vgg16.tv_in1k", "alexnet"]
    rows = [row(model=name, place="them.csv, row 7") for name in known]
    assert choose_models(rows, ["vgg16.tv_in1k"]) == [rows[1]]
    message = r"them\.csv: unknown model 'resnet50\.tv'; did you mean resnet50\.tv_in1k\?"
    with pytest.raises(ValueError, match=message):
        choose_models(rows, ["alexnet", "resnet50.tv"])
    with pytest.raises(ValueError, match="unknown model 'x'; there are resnet50"):
        choose_models(rows, ["x"])
    assert near_matches("AlexNet", known) == ["alexnet"]


def test_a_mark_that_spreadsheets_put_in_front_is_no_part_of_the_first_column(write):
    (read,) = read_rows(write("\ufeff" + HEAD + LINE))
    assert read.model == "net"


def test_a_folder_is_its_tables_and_the_files_that_it_lists(tmp_path, row):
    write_rows(tmp_path / "one.csv", [row("71.1")])
    tables = tmp_path / "tables"
    tables.mkdir()
    (tables / "wide.csv").write_text("model,imagenet_v2\nnet,63.2\n")
    listing = "file,format,test,what,unit,n,preprocessing,source,licence,grade,note\n"
    entry = "wide.csv,accuracy_by_set,,accuracy,percent,,,us,MIT,file,\n"
    (tables / "sources.csv").write_text(listing + entry)
    own, imported = read_folder(tmp_path)
    assert (own.printed, imported.printed, imported.test) == ("71.1", "63.2", "imagenet_v2")
    assert (imported.n, imported.source) == (10_000, "us")
    (tables / "wide.csv").unlink()
    with pytest.raises(ValueError, match=r"wide\.csv is listed but not there"):
        read_folder(tmp_path)
    (tables / "sources.csv").write_text(entry)
    with pytest.raises(ValueError, match=r"columns .* expected"):
        read_folder(tmp_path)


def test_an_unknown_layout_lists_those_there_are(tmp_path):
    with pytest.raises(ValueError, match=r"'excel'; there are .*openood"):
        import_file(tmp_path / "x", "excel", About("us", "MIT"))


def test_the_projects_tables_are_graded_and_name_source_and_licence(published):
    rows = read_folder(published)
    check_rows(read_rows(published / "imagenet_c_resnet50.csv"))
    assert all(r.source and r.licence and r.grade != "own" for r in rows)
    quoted = {r.licence for r in rows} - {"MIT", "Apache-2.0"}
    assert quoted == {"number quoted"}
