"""What is written for boards is what their formats read again."""

import json

import pytest

from robusteval.published._row import About
from robusteval.published.exports.bibtex import bibtex
from robusteval.published.exports.robustbench_corruptions import robustbench_corruptions
from robusteval.published.exports.robustbench_json import robustbench_json
from robusteval.published.exports.timm import Result, timm
from robusteval.published.rows import import_file


def test_timm_comes_back(tmp_path):
    nets = [
        Result("worse", 224, 0.5, 0.75, 25_557_032, 0.875, "bilinear"),
        Result("better", 299, 0.76156, 0.92872, 1_200_000, 0.95, "bicubic"),
    ]
    path = tmp_path / "results.csv"
    path.write_text(timm(nets))
    lines = path.read_text().splitlines()
    assert lines[1] == "better,299,76.156,23.844,92.872,7.128,1.20,0.950,bicubic"
    rows = import_file(path, "timm", About("us", "MIT", test="imagenet_validation"))
    assert [(r.model, r.percent) for r in rows if r.what == "accuracy"] == [
        ("better", 76.156),
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


def test_bibtex():
    text = bibtex(
        {
            "images imagenet_a": "Hendrycks et al. 2021, arXiv 1907.07174",
            "images imagenet_r": "Hendrycks et al. 2021, arXiv 2006.16241",
            "images imagenet_o": "Hendrycks et al. 2021, arXiv 1907.07174",
            "images cifar10_test": "Krizhevsky 2009, Learning Multiple Layers of Features",
            "tests imagenet_c": "Hendrycks & Dietterich 2019, ImageNet-C (arXiv 1903.12261)",
        }
    )
    assert "% images imagenet_a, images imagenet_o\n@misc{hendrycks2021a,\n" in text
    assert "@misc{hendrycks2021b," in text and "@misc{hendrycks2019," in text
    assert "  author = {Hendrycks and others},\n  year = {2021},\n  eprint = {1907.07174}," in text
    assert "@misc{krizhevsky2009," in text
    assert "title = {{Learning Multiple Layers of Features}}" in text
    assert "author = {Hendrycks and Dietterich}" in text and "title = {{ImageNet-C}}" in text
    assert text.count("@misc") == 4 and text.count("{") == text.count("}")
    assert bibtex({}) == ""


def test_a_citation_of_another_form():
    with pytest.raises(ValueError, match="images mine: cite 'me'; a citation as 'Recht et al"):
        bibtex({"images mine": "me"})
