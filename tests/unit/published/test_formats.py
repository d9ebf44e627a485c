"""Result files of others, written by hand, read into the one format."""

import json

import pytest

from robusteval import plugins
from robusteval.published._row import About
from robusteval.published.rows import import_file

US = About("their repository", "MIT")
TIMM = "model,img_size,top1,top1_err,top5,top5_err,param_count,crop_pct,interpolation\n"
TRIALS = "subj,session,trial,rt,object_response,category,condition,imagename\n"
OPENOOD = "Training,Postprocessor,Near-OOD_AUROC,Far-OOD_AUROC,ID_Accuracy,Arch\n"


@pytest.fixture
def read(tmp_path):
    """Write a file and read it in a layout."""

    def make(layout, text, about=US, name="file.csv"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return import_file(path, layout, about)

    return make


def said(rows):
    return [(r.model, r.what, r.test, r.condition, r.printed) for r in rows]


def test_timm(read):
    text = TIMM + 'net.tag,224,76.100,23.900,92.800,7.200,"1,013.01",0.950,bicubic\n'
    rows = read("timm", text, About("timm", "Apache-2.0", test="imagenet_v2", n=10_000))
    assert said(rows) == [
        ("net.tag", "accuracy", "imagenet_v2", "", "76.100"),
        ("net.tag", "top5_accuracy", "imagenet_v2", "", "92.800"),
    ]
    assert {(r.preprocessing, r.n) for r in rows} == {("224 px, crop 0.95, bicubic", 10_000)}


def test_robustbench_by_corruption_and_severity(read):
    text = ",fog,fog,snow\n,1,2,5\nnet,0.9,0.85,\n"
    about = About("RobustBench", "MIT", test="cifar10_c", unit="fraction", n=10_000)
    rows = read("robustbench_corruptions", text, about)
    assert said(rows) == [
        ("net", "accuracy", "cifar10_c", "fog 1", "0.9"),
        ("net", "accuracy", "cifar10_c", "fog 2", "0.85"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (",fog,snow\n,1,9\nnet,0.9,0.8\n", "severity 1 to 5"),
        (",fog,snow\n,1,1\nnet,0.9\n", "row 3: 1 values; 2 expected"),
        (",0,1\n,1,1\nnet,0.9,0.8\n", "'0' is a place in a list .* key it by name"),
        (",,fog\n,1,1\nnet,0.9,0.8\n", "condition '' is no corruption"),
    ],
)
def test_robustbench_heads_are_names(read, text, message):
    about = About("RobustBench", "MIT", test="cifar10_c", unit="fraction")
    with pytest.raises(ValueError, match=message):
        read("robustbench_corruptions", text, about)


def test_robustbench_summaries_by_board(read):
    corrupt = {"clean_acc": "54.32", "corruptions_acc": 39.5, "corruptions_mce": 80.0}
    rows = read("robustbench_json", json.dumps(corrupt), US, "imagenet/corruptions/net.json")
    assert said(rows) == [
        ("net", "accuracy", "imagenet_validation", "", "54.32"),
        ("net", "accuracy", "imagenet_c", "fifteen", "39.50"),  # a float has lost its zero
        ("net", "mce", "imagenet_c", "fifteen, baseline alexnet_robustbench", "80.00"),
    ]
    attacked = {"clean_acc": "89.1", "autoattack_acc": "0.0", "unreliable": True, "eps": "null"}
    rows = read("robustbench_json", json.dumps(attacked), US, "cifar10/Linf/net.json")
    assert said(rows)[1:] == [
        ("net (Linf)", "robust_accuracy", "cifar10_test", "linf 8/255, autoattack", "0.00")
    ]
    assert rows[1].note.startswith("unreliable") and rows[1].n == 10_000
    with pytest.raises(ValueError, match="'here' is no data set"):
        read("robustbench_json", "{}", US, "here/Linf/net.json")
    with pytest.raises(ValueError, match="clean_acc is missing"):
        read("robustbench_json", '{"clean_acc": null}', US, "cifar10/Linf/net.json")


def test_openood(read):
    text = OPENOOD + (
        "Baseline,MSP,61.02,72.34,55.55,ResNet50\nBaseline,KNN,57.10 ± 0.30,80.09,55.55,ResNet50\n"
    )
    rows = read("openood", text, About("OpenOOD", "cite only", test="imagenet_validation"))
    model = "Baseline, ResNet50"
    assert said(rows) == [
        (model, "auroc", "imagenet_validation", "near, MSP", "61.02"),
        (model, "auroc", "imagenet_validation", "far, MSP", "72.34"),
        (model, "accuracy", "imagenet_validation", "", "55.55"),
        (model, "auroc", "imagenet_validation", "near, KNN", "57.10"),
        (model, "auroc", "imagenet_validation", "far, KNN", "80.09"),
    ]
    assert rows[3].note == "spread 0.30"


def test_trials_of_people_and_networks(read):
    answers = [("s1", "dog", "dog", "0"), ("s1", "cat", "dog", "0"), ("s1", "na", "cat", "1")]
    lines = [f"{s},1,{i},0.5,{a},{c},{k},x.png" for i, (s, a, c, k) in enumerate(answers)]
    about = About("model-vs-human", "MIT", test="sketch")
    rows = read("model_vs_human", TRIALS + "\n".join(lines) + "\n", about)
    found = {(r.model, r.condition): (float(r.printed), r.n) for r in rows}
    third = pytest.approx(1 / 3, abs=1e-6)  # six digits are kept
    assert found == {("s1", ""): (third, 3), ("s1", "0"): (0.5, 2), ("s1", "1"): (0.0, 1)}
    assert {r.grade for r in rows} == {"computed"}


def test_a_papers_table_by_corruption(read):
    about = About("a paper", "number quoted", test="cifar10_c", what="error")
    text = "model,Snow,gaussian noise,mean\nnet,20.1,30.2,25.0\n"
    assert said(read("corruption_table", text, about)) == [
        ("net", "error", "cifar10_c", "snow", "20.1"),
        ("net", "error", "cifar10_c", "gaussian_noise", "30.2"),
        ("net", "error", "cifar10_c", "fifteen", "25.0"),
    ]
    (row,) = read("corruption_table", "model,severity,fog\nnet,3,20.1\n", about)
    assert row.condition == "fog 3"


@pytest.mark.parametrize("head", ["1", "c3", "Gaussian"])
def test_columns_by_position_are_refused(read, head):
    about = About("a paper", "number quoted", test="cifar10_c", what="error")
    with pytest.raises(ValueError, match=f"column '{head}' is no corruption .* never by position"):
        read("corruption_table", f"model,{head}\nnet,20.1\n", about)


def test_accuracies_by_set(read):
    text = "model,img_size,crop_pct,interpolation,imagenet_v2,imagenet_v2_diff,imagenet_a\n"
    rows = read("accuracy_by_set", text + "net,224,0.875,bilinear,51.230,-10.5,\n")
    assert said(rows) == [("net", "accuracy", "imagenet_v2", "", "51.230")]
    assert (rows[0].preprocessing, rows[0].n) == ("224 px, crop 0.875, bilinear", 10_000)


@pytest.mark.parametrize(
    ("layout", "text"),
    [(n, "model,top1\nnet,76.1\n") for n in ("timm", "openood", "corruption_table")],
)
def test_whose_results_these_are_must_be_said(read, layout, text):
    with pytest.raises(ValueError, match="test is empty; say whose results"):
        read(layout, text)


@pytest.mark.parametrize("layout", ["timm", "openood", "model_vs_human", "accuracy_by_set"])
def test_a_missing_column_is_named(read, layout):
    with pytest.raises(ValueError, match=r"file\.csv: columns \[.*\] are missing; there are"):
        read(layout, "a,b\n1,2\n", About("us", "MIT", test="imagenet_v2"))


def test_every_format_has_its_function():
    names = plugins.names("published.formats")
    assert len(names) == 9
    assert all(callable(plugins.load("published.formats", name)) for name in names)
