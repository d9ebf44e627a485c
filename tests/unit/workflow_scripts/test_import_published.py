"""``python -m robusteval import``: result files of others among the published numbers."""

import pandas as pd
import pytest

from robusteval.published.rows import read_rows
from workflow_scripts import _commands
from workflow_scripts.compare_published import compare_published
from workflow_scripts.tabulate_accuracy import COLUMNS as ACCURACY

TIMM = "model,img_size,top1,top1_err,top5,top5_err,param_count,crop_pct,interpolation\n"
NETS = TIMM + (
    "resnet50.tv_in1k,224,61.500,38.500,81.000,19.000,25.56,0.875,bilinear\n"
    "vgg16.tv_in1k,224,55.500,44.500,77.000,23.000,138.36,0.875,bilinear\n"
)
FOG = ",fog,fog\n,1,2\nnet,0.9,0.85\n"
OOD = "Training,Postprocessor,Near-OOD_AUROC,Far-OOD_AUROC,ID_Accuracy,Arch\nA,MSP,61,72,55.5,vit\n"
TRIAL = "subj,session,trial,rt,object_response,category,condition,imagename\ns1,1,1,1,a,a,0,x.png\n"
SUMMARY = '{"clean_acc": "55.5", "corruptions_acc": "33.33"}'


@pytest.fixture
def command(tmp_path, request, monkeypatch, capsys):
    """Run the command in a folder with the project's catalogue and no published number."""
    config = tmp_path / "config"
    config.mkdir()
    for name in ("catalogue", "schema.yaml"):
        (config / name).symlink_to(request.config.rootpath / "config" / name)
    (tmp_path / "robusteval").symlink_to(request.config.rootpath / "robusteval")
    monkeypatch.setattr(_commands, "CONFIG", config)
    monkeypatch.chdir(tmp_path)

    def run(text, *options, name="theirs.csv"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        status = _commands.main(["import", str(path), "--source", "their page", *options])
        said = capsys.readouterr()
        return status, said.out + said.err

    return run


@pytest.mark.parametrize(
    ("name", "text", "test", "rows"),
    [
        ("theirs.csv", NETS, "imagenet_v2", 4),
        ("theirs.csv", FOG, "cifar10_c", 2),
        ("imagenet/corruptions/theirs.json", SUMMARY, "", 2),
        ("theirs.csv", OOD, "imagenet_validation", 3),
        ("theirs.csv", TRIAL, "model_vs_human_sketch", 1),
        ("theirs.csv", "model,fog,mean\nnet,40.5,41\n", "cifar10_c", 2),
    ],
)
def test_every_format_becomes_a_table_of_the_one(command, tmp_path, name, text, test, rows):
    status, said = command(text, "--test", test, name=name)
    assert status == 0 and f"config/published/theirs.csv: {rows} published numbers" in said
    read = read_rows(tmp_path / "config/published/theirs.csv")
    assert len(read) == rows and {r.licence for r in read} == {"number quoted"}
    assert all(r.source.startswith("their page") and r.grade for r in read)


def test_what_was_imported_takes_part_in_the_next_comparison(command, tmp_path):
    status, said = command(NETS, "--test", "imagenet_v2", "--n", "10000", "--licence", "MIT")
    assert status == 0 and "Studies that measure resnet50, vgg16" in said
    accuracy = tmp_path / "accuracy.csv"
    row = {"model": "resnet50", "test": "other", "condition": "imagenet_v2", "severity": 0}
    row |= {"n": 10_000, "accuracy_pct_higher_better": 61.5, "status": "ok"}
    pd.DataFrame([row]).reindex(columns=ACCURACY).to_csv(accuracy, index=False)
    models = {"resnet50": {"arguments": {"name": "resnet50.tv_in1k"}}}
    tests = {"other": {"kind": "shifted"}}
    said = [str(accuracy)], "config/published", tests, "imagenet_validation", models, {}
    line = compare_published(*said, str(tmp_path / "out.csv"))
    assert line == "1 published numbers compared: 1 PASS, 0 EXPLAINED, 0 FAIL"


def test_a_model_that_is_not_in_the_file(command):
    options = ["--test", "imagenet_v2", "--models"]
    status, said = command(NETS, *options, "resnet50")
    assert status == 1 and "unknown model 'resnet50'; did you mean resnet50.tv_in1k?" in said
    assert command(NETS, *options, "vgg16.tv_in1k")[0] == 0


def test_a_name_that_is_nearly_one_of_the_catalogue_is_said(command):
    status, said = command(NETS.replace("vgg16.tv_in1k", "vgg16.tv_inlk"), "--test", "imagenet_v2")
    assert status == 0 and "Studies that measure resnet50 are" in said
    status, said = command("model,fog\nalexnett,40.5\n", "--test", "imagenet_c", "--name", "b")
    assert status == 0 and "None of them is a model of the catalogue" in said
    assert "'alexnett' is no model of the catalogue and is not compared; did you mean" in said


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (NETS.replace(",crop_pct", ",crop"), ["--format", "timm"], "['crop_pct'] are missing"),
        (NETS, ["--unit", "fraction"], "61.500 is called a fraction; 0 to 1 expected; is it in"),
        (
            FOG,
            ["--test", "cifar10_c", "--unit", "percent"],
            "for fractions write the unit fraction",
        ),
        (NETS + NETS.splitlines()[1] + "\n", [], "stands at"),
        ("model,c1,c2\nnet,40,50\n", ["--format", "corruption_table"], "never by position"),
        (",3,4\n,1,1\nnet,0.9,0.8\n", ["--test", "cifar10_c"], "is a place in a list"),
        (NETS, ["--grade", "recalled"], "a recalled number is not published"),
        (NETS, ["--format", "excel"], "'excel'; there are accuracy_by_set"),
        ("a,b\n1,2\n", [], "say which it is with --format"),
    ],
)
def test_a_mistake_is_one_line_and_nothing_is_written(command, tmp_path, text, options, message):
    given = options if "--test" in options else ["--test", "imagenet_v2", *options]
    status, said = command(text, *given)
    assert status == 1 and message in said and said.count("\n") == 1
    assert not list((tmp_path / "config").glob("published/*"))


@pytest.mark.parametrize("name", ["../theirs", "a/b", "/theirs"])
def test_no_table_is_written_outside_its_folder(command, tmp_path, name):
    status, said = command(NETS, "--test", "imagenet_v2", "--name", name, "--replace")
    assert status == 1 and "without folders" in said
    assert list(tmp_path.rglob("*.csv")) == [tmp_path / "theirs.csv"]


def test_nothing_is_taken_twice_or_written_over(command):
    options = ["--test", "imagenet_v2"]
    assert command(NETS, *options)[0] == 0
    status, said = command(NETS, *options)
    assert status == 1 and "theirs.csv exists; choose another --name, or --replace it" in said
    status, said = command(NETS, *options, "--name", "again")
    assert status == 1 and "theirs.csv, row 2 already, from their page; keep one" in said
    assert command(NETS, *options, "--replace")[0] == 0
