"""What is written for boards is what their formats read again."""

import json

import pytest

from robusteval.corruptions._parts import FIFTEEN
from robusteval.published._row import About
from robusteval.published.exports.bibtex import bibtex
from robusteval.published.exports.corruption_table import corruption_table
from robusteval.published.exports.openood import Result, openood
from robusteval.published.exports.robustbench_corruptions import robustbench_corruptions
from robusteval.published.exports.robustbench_json import robustbench_json
from robusteval.published.exports.timm import Result as TimmResult
from robusteval.published.exports.timm import timm
from robusteval.published.rows import import_file


def test_timm_comes_back(tmp_path):
    nets = [
        TimmResult("worse", 224, 0.5, 0.75, 25_557_032, 0.875, "bilinear"),
        TimmResult("better", 299, 0.61156, 0.82872, 1_200_000, 0.95, "bicubic"),
    ]
    path = tmp_path / "results.csv"
    path.write_text(timm(nets))
    lines = path.read_text().splitlines()
    assert lines[1] == "better,299,61.156,38.844,82.872,17.128,1.20,0.950,bicubic"
    rows = import_file(path, "timm", About("us", "MIT", test="imagenet_validation"))
    assert [(r.model, r.percent) for r in rows if r.what == "accuracy"] == [
        ("better", 61.156),
        ("worse", 50.0),
    ]


def test_robustbench_accuracies_come_back(tmp_path):
    share = {("fog", 1): 0.9, ("fog", 2): 1 / 3}
    path = tmp_path / "results.csv"
    path.write_text(robustbench_corruptions({"a": share, "b": dict(reversed(share.items()))}))
    about = About("us", "MIT", test="cifar10_c", unit="fraction")
    rows = import_file(path, "robustbench_corruptions", about)
    assert [r.value for r in rows] == [0.9, 1 / 3, 0.9, 1 / 3]
    with pytest.raises(ValueError, match="b: fog 2 is not there for every model"):
        robustbench_corruptions({"a": share, "b": {("fog", 1): 0.9}})


def test_robustbench_summary_comes_back(tmp_path):
    path = tmp_path / "imagenet/corruptions/net.json"
    path.parent.mkdir(parents=True)
    path.write_text(robustbench_json("resnet50", "imagenet", {"clean_acc": 76.125}))
    assert json.loads(path.read_text())["architecture"] == "resnet50"
    (row,) = import_file(path, "robustbench_json", About("us", "MIT"))
    assert row.printed == "76.12"  # the even digit, as 76.125 is held exactly
    with pytest.raises(ValueError, match="clean_acc is missing"):
        robustbench_json("resnet50", "imagenet", {})
    with pytest.raises(ValueError, match="'mce' is no key of a summary"):
        robustbench_json("resnet50", "imagenet", {"clean_acc": 1, "mce": 2})


def test_openood_comes_back(tmp_path):
    nets = [
        Result("net", "resnet50", "max_softmax", {"a": 60.0, "b": 61.01}, {"noise": 99.5}, 71.25),
        Result("net", "resnet50", "own_score", {"a": 50.0, "b": 50.0}, {}, 71.25),
        Result("other", "vit", "max_softmax", {}, {"noise": 40.0}, None),
    ]
    path = tmp_path / "ood.csv"
    path.write_text(openood(nets))
    assert path.read_text().splitlines()[1].endswith(",,resnet50,near: a b; far: noise")
    rows = import_file(path, "openood", About("us", "MIT", test="imagenet_validation"))
    assert [(r.model, r.what, r.condition, r.printed) for r in rows] == [
        ("net, resnet50", "auroc", "near, MSP", "60.50"),  # 60.505 is held as a little less
        ("net, resnet50", "auroc", "far, MSP", "99.50"),
        ("net, resnet50", "accuracy", "", "71.25"),
        ("net, resnet50", "auroc", "near, own_score", "50.00"),
        ("net, resnet50", "accuracy", "", "71.25"),  # other sets were unknown, so another row
        ("other, vit", "auroc", "far, MSP", "40.00"),
    ]


def test_a_table_by_corruption_comes_back(tmp_path):
    whole = {corruption: 10.0 + i for i, corruption in enumerate(FIFTEEN)}
    path = tmp_path / "table.csv"
    path.write_text(corruption_table({"net": whole, "few": {"fog": 31.25}}, "cifar10_c"))
    about = About("us", "MIT", test="cifar10_c", what="error")
    rows = import_file(path, "corruption_table", about)
    found = {(r.model, r.condition): r.value for r in rows}
    expected = {("net", c): v for c, v in whole.items()} | {("net", "fifteen"): 17.0}
    assert found == expected | {("few", "fog"): 31.25}


def test_bibtex():
    text = bibtex(
        [
            ("images imagenet_a", "Hendrycks et al. 2021, arXiv 1907.07174"),
            ("images imagenet_r", "Hendrycks et al. 2021, arXiv 2006.16241"),
            ("images imagenet_o", "Hendrycks et al. 2021, arXiv 1907.07174"),
            ("images cifar10_test", "Krizhevsky 2009, Learning Multiple Layers of Features"),
            ("tests imagenet_c", "Hendrycks & Dietterich 2019, ImageNet-C (arXiv 1903.12261)"),
            ("tests a", "Ada, Bob & Cid 2020, A title: 5% of it; A & B Letters; arXiv 2001.00001"),
        ]
    )
    assert "% images imagenet_a, images imagenet_o\n@misc{hendrycks2021a,\n" in text
    assert "@misc{hendrycks2021b," in text and "@misc{hendrycks2019," in text
    assert "  author = {Hendrycks and others},\n  year = {2021},\n  eprint = {1907.07174}," in text
    assert "@misc{krizhevsky2009," in text
    assert "title = {{Learning Multiple Layers of Features}}" in text
    assert "author = {Hendrycks and Dietterich}" in text and "title = {{ImageNet-C}}" in text
    assert "author = {Ada and Bob and Cid}" in text
    assert "title = {{A title: 5\\% of it}},\n  howpublished = {A \\& B Letters}" in text
    assert text.count("@misc") == 5 and text.count("{") == text.count("}")
    assert bibtex([]) == ""


def test_a_citation_of_another_form():
    with pytest.raises(ValueError, match="images mine: cite 'me'; a citation as 'Recht et al"):
        bibtex([("images mine", "me")])
