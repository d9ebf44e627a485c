"""Recomputing, drawing and exporting, from file to file."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from robusteval.corruptions._parts import FIFTEEN
from robusteval.published._row import About
from robusteval.published.exports.bibtex import bibtex
from robusteval.published.rows import import_file
from robusteval.records import failed, write_records
from workflow_scripts._catalogue import load_catalogue
from workflow_scripts._schema import load_yaml
from workflow_scripts.draw_effective_robustness import draw_effective_robustness
from workflow_scripts.export_bibtex import cited, export_bibtex
from workflow_scripts.export_corruption_table import export_corruption_table
from workflow_scripts.export_openood import AUROC, export_openood
from workflow_scripts.export_robustbench import export_robustbench
from workflow_scripts.export_timm import export_timm, top5
from workflow_scripts.export_trials import export_trials
from workflow_scripts.recompute_published import COLUMNS, SHIFTED, recompute_published
from workflow_scripts.tabulate_accuracy import VALUE as ACCURACY
from workflow_scripts.tabulate_corruption_error import tabulate_corruption_error

VIEWS = {"plain": {"size": 224, "crop_fraction": 0.875, "interpolation": "bilinear"}}


def test_recomputing_writes_both_tables_and_the_figure(request, tmp_path):
    folder = str(request.config.rootpath / "config/published")
    table, shifted = tmp_path / "recomputed.csv", tmp_path / "shifted.csv"
    line = recompute_published(folder, str(table), str(shifted))
    assert line.endswith(", 0 FAIL")
    frame = pd.read_csv(table)
    assert list(frame.columns) == COLUMNS
    assert line.startswith(f"{len(frame)} published numbers compared: ")
    shifts = pd.read_csv(shifted)
    assert list(shifts.columns) == SHIFTED and (shifts["status"] == "ok").all()
    once = table.read_bytes(), shifted.read_bytes()
    recompute_published(folder, str(table), str(shifted))
    assert (table.read_bytes(), shifted.read_bytes()) == once
    shifts[shifts["model"].isin(shifts["model"].unique()[::40])].to_csv(shifted, index=False)
    draw_effective_robustness(str(shifted), [str(tmp_path / "f.png")])
    assert (tmp_path / "f.png").stat().st_size > 10_000


def test_export_of_clean_accuracies(model_folder, records, tmp_path):
    clean = records({("clean", 0): [0, 0, 0, 1]}, logits=[1.0, 1.0, 1.0, -1.0])
    write_records(tmp_path / "net/clean.parquet", clean)
    write_records(tmp_path / "sick/clean.parquet", failed("out of memory", {}))
    folder = model_folder("net")
    models = {"net": {"arguments": {"name": "net.tag"}, "view": "plain"}, "sick": {}}
    paths = [str(tmp_path / f"{m}/clean.parquet") for m in ("net", "sick")]
    output = tmp_path / "timm.csv"
    export_timm(paths, {"net": str(folder), "sick": ""}, models, VIEWS, str(output))
    lines = output.read_text().splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("net.tag,8,75.000,25.000,100.000,0.000,0.00,0.875,bilinear")
    rows = import_file(output, "timm", About("us", "MIT", test="imagenet_validation"))
    assert [r.percent for r in rows] == [75.0, 100.0]


def test_the_five_largest_logits(records):
    cell = records({("clean", 0): [1, 1]}, labels=[0, 0])
    logits = np.array([[5, 9, 8, 7, 6, 0], [4, 9, 8, 7, 6, 5]], np.float32)  # fifth, sixth
    assert top5(type(cell)(cell.frame, logits)) == 0.5


def test_export_of_accuracies_under_corruptions(records, tmp_path):
    said = {(c, s): [0, 0, 0, 1] if s < 5 else [1, 1, 0, 0] for c in FIFTEEN for s in range(1, 6)}
    few = {key: value for key, value in said.items() if key[0] != "fog"}
    for model, cells in (("net", said), ("other", few)):
        write_records(tmp_path / f"{model}/c.parquet", records(cells))
        write_records(tmp_path / f"{model}/clean.parquet", records({("clean", 0): [0, 0, 0, 0]}))
    paths = [[str(tmp_path / f"{m}/{t}.parquet") for m in ("net", "other")] for t in ("c", "clean")]
    models = {m: {"builder": "timm", "arguments": {"name": "resnet50"}} for m in ("net", "other")}
    table, summaries = tmp_path / "table.csv", tmp_path / "summaries"
    export_robustbench(*paths, models, "cifar10_test", str(table), str(summaries))
    about = About("us", "MIT", test="cifar10_c", unit="fraction", n=4)
    rows = import_file(table, "robustbench_corruptions", about)
    assert {r.model for r in rows} == {"net"} and len(rows) == 75
    (summary,) = summaries.rglob("*.json")
    assert summary.relative_to(summaries).parts == ("cifar10", "corruptions", "net.json")
    content = json.loads(summary.read_text())
    assert content["dataset"] == "cifar10"
    assert (content["clean_acc"], content["corruptions_acc"]) == ("100.00", "70.00")
    found = import_file(summary, "robustbench_json", About("us", "MIT"))
    assert [r.percent for r in found] == [100.0, 70.0]


def test_export_of_auroc(tmp_path):
    """Two novel sets and two unrecognisable ones, of a model; another's cell is broken."""
    detection, accuracy = tmp_path / "detection.csv", tmp_path / "accuracy.csv"
    cells = [("novel", "digits", 90.0), ("novel", "textures", 80.5), ("noise", "blobs", 70.25)]
    rows = [
        {"model": "net", "test": t, "unknown": u, "score": "max_softmax", AUROC: v, "status": "ok"}
        for t, u, v in cells
    ]
    broken = {"model": "sick", "test": "novel", "score": "max_softmax", "status": "out of memory"}
    pd.DataFrame([*rows, broken]).to_csv(detection, index=False)
    clean = {"model": "net", "test": "clean", ACCURACY: 88.55, "status": "ok"}
    pd.DataFrame([clean, clean | {"test": "fogs", ACCURACY: 1.0}]).to_csv(accuracy, index=False)
    kinds = {"clean": "clean", "fogs": "corrupt", "novel": "novel", "noise": "unrecognisable"}
    models = {"net": {"builder": "cnn"}, "sick": {"builder": "cnn"}}
    output = tmp_path / "openood.csv"
    export_openood(str(detection), str(accuracy), kinds, models, str(output))
    rows = import_file(output, "openood", About("us", "MIT", test="fashion_mnist_test"))
    assert [(r.model, r.what, r.condition, r.value) for r in rows] == [
        ("net, cnn", "auroc", "near, MSP", 85.25),
        ("net, cnn", "auroc", "far, MSP", 70.25),
        ("net, cnn", "accuracy", "", 88.55),
    ]
    assert rows[0].preprocessing == "near: digits textures; far: blobs"


def test_export_of_errors_by_corruption(records, tmp_path):
    said = {("fog", s): [0, 0, 0, 1] if s < 5 else [1, 1, 0, 0] for s in range(1, 6)}
    write_records(tmp_path / "net/fogs.parquet", records(said | {("snow", 1): [0, 0, 0, 0]}))
    write_records(tmp_path / "net/clean.parquet", records({("clean", 0): [0, 0, 0, 0]}))
    paths = [[str(tmp_path / f"net/{t}.parquet")] for t in ("fogs", "clean")]
    errors = tmp_path / "errors.csv"
    families = {"fogs": "cifar10_c"}
    tabulate_corruption_error(
        *paths, "net", str(errors), str(tmp_path / "mean.csv"), families=families
    )
    export_corruption_table(str(errors), families, str(tmp_path / "tables"))
    about = About("us", "MIT", test="cifar10_c", what="error")
    (row,) = import_file(tmp_path / "tables/fogs.csv", "corruption_table", about)
    assert (row.model, row.condition, row.value) == ("net", "fog", 30.0)  # snow at one severity


def test_export_of_trials(model_folder, records, tmp_path):
    cells = {("fog", 1): [0, 1, 2], ("fog", 2): [0, 0, 1]}
    write_records(tmp_path / "net/fogs.parquet", records(cells, labels=[0, 0, 1], ids=[5, 6, 7]))
    write_records(tmp_path / "sick/fogs.parquet", failed("out of memory", {}))
    folders = {m: str(model_folder("net")) for m in ("net", "sick")}
    paths = [str(tmp_path / f"{m}/fogs.parquet") for m in folders]
    export_trials(paths, folders, str(tmp_path / "trials"))
    (file,) = (tmp_path / "trials").rglob("*.csv")
    assert file.relative_to(tmp_path / "trials").parts == ("fogs", "fogs_net_session-1.csv")
    lines = file.read_text().splitlines()
    assert lines[2:4] == ["net,1,2,NaN,b,a,fog 1,fog-1_6.png", "net,1,3,NaN,c,b,fog 1,fog-1_7.png"]
    rows = import_file(file, "model_vs_human", About("us", "MIT", test="imagenet_c"))
    found = {r.condition: round(3 * r.value, 4) for r in rows if r.condition}  # six digits of 1/3
    assert found == {"fog 1": 1, "fog 2": 3}


def test_export_of_citations(tmp_path):
    catalogue = {
        "images": {"v2": {"cite": "Recht et al. 2019, arXiv 1902.10811"}, "own": {}},
        "models": {"net": {"cite": ["A 2020, One", "B 2021, Two"]}},
    }
    used = {"images": ["v2", "own"], "models": ["net"], "metrics": ["dar", "checks"]}
    metrics = tmp_path / "metrics.yaml"
    metrics.write_text("dar: {cite: 'C 2022, Three'}\n")
    export_bibtex(catalogue, used, str(metrics), str(tmp_path / "used.bib"))
    text = (tmp_path / "used.bib").read_text()
    assert text.startswith("% images v2\n@misc{recht2019,")
    assert re.findall("^% (.*)$", text, re.M)[1:] == ["models net", "models net", "metrics dar"]


@pytest.mark.parametrize("study", ["demo", "imagenet_lite", "imagenet", "cifar10"])
def test_a_study_names_the_attacks_sets_models_and_metrics_it_used(request, study):
    """Of each part something is cited, and every attack is; small networks are made up here."""
    config = request.config.rootpath / "config"
    chosen = load_yaml(config / f"{study}.yaml")
    catalogue = load_catalogue(config) | {"metrics": load_yaml(config / "catalogue/metrics.yaml")}
    used = {"images": [chosen["images"]], "models": chosen["models"], "tests": chosen["tests"]}
    used["metrics"] = ["accuracy", "dar"]
    items = {item for item, _ in cited(catalogue, used)}
    assert {item.split()[0] for item in items} >= {"models", "tests", "metrics"}
    attacks = [t for t in chosen["tests"] if catalogue["tests"][t]["kind"] == "adversarial"]
    assert attacks and {f"tests {t}" for t in attacks} <= items
    bibtex(cited(catalogue, used))


def test_all_of_the_catalogue_can_be_cited(request):
    """Every attack, published set and model that was not made up here; in the form that is read."""
    config = request.config.rootpath / "config"
    catalogue = load_catalogue(config) | {"metrics": load_yaml(config / "catalogue/metrics.yaml")}
    text = bibtex(cited(catalogue, {part: list(items) for part, items in catalogue.items()}))
    keys = re.findall(r"@misc\{(.*),", text)
    assert len(set(keys)) == len(keys) and not re.search("author = {}|year = {}", text)
    assert len(set(re.findall("eprint = {(.*)}", text))) == text.count("eprint")  # no paper twice
    missing = [m for m, entry in catalogue["models"].items() if "cite" not in entry]
    assert all(catalogue["models"][m]["builder"] == "cnn" for m in missing)
    kinds = ("adversarial", "corrupt", "perturbed", "unrecognisable", "probe")
    tests = [t for t, e in catalogue["tests"].items() if e["kind"] in kinds and "cite" not in e]
    assert tests == []
