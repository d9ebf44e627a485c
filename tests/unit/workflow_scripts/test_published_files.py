"""Recomputing, drawing, exporting and importing, from file to file."""

import json

import numpy as np
import pandas as pd
import pytest

from robusteval.corruptions._parts import FIFTEEN
from robusteval.published._row import About
from robusteval.published.rows import import_file, read_rows
from robusteval.records import failed, write_records
from workflow_scripts.draw_effective_robustness import draw_effective_robustness
from workflow_scripts.export_bibtex import cited, export_bibtex
from workflow_scripts.export_robustbench import export_robustbench
from workflow_scripts.export_timm import export_timm, top5
from workflow_scripts.import_published import import_published
from workflow_scripts.recompute_published import COLUMNS, SHIFTED, recompute_published

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
    table, summaries = tmp_path / "table.csv", tmp_path / "cifar10/corruptions"
    export_robustbench(*paths, models, "cifar10", str(table), str(summaries))
    about = About("us", "MIT", test="cifar10_c", unit="fraction", n=4)
    rows = import_file(table, "robustbench_corruptions", about)
    assert {r.model for r in rows} == {"net"} and len(rows) == 75
    (summary,) = summaries.iterdir()
    content = json.loads(summary.read_text())
    assert (content["clean_acc"], content["corruptions_acc"]) == ("100.00", "70.00")
    found = import_file(summary, "robustbench_json", About("us", "MIT"))
    assert [r.percent for r in found] == [100.0, 70.0]


def test_export_of_citations(tmp_path):
    catalogue = {
        "images": {"v2": {"cite": "Recht et al. 2019, arXiv 1902.10811"}, "own": {}},
        "models": {"net": {}},
    }
    used = {"images": ["v2", "own"], "models": ["net"]}
    assert list(cited(catalogue, used)) == ["images v2"]
    export_bibtex(catalogue, used, str(tmp_path / "used.bib"))
    assert (tmp_path / "used.bib").read_text().startswith("% images v2\n@misc{recht2019,")


def test_import_into_the_one_format(tmp_path):
    (tmp_path / "wide.csv").write_text("model,imagenet_v2\nnet,63.2\n")
    listing = tmp_path / "sources.csv"
    head = "file,format,test,what,unit,n,preprocessing,source,licence,grade,note\n"
    listing.write_text(head + "wide.csv,accuracy_by_set,,accuracy,percent,,,us,MIT,file,\n")
    line = import_published(tmp_path / "wide.csv", listing, tmp_path / "out.csv")
    assert line.endswith("out.csv: 1 published numbers of 1 models")
    (row,) = read_rows(tmp_path / "out.csv")
    assert (row.model, row.printed, row.n, row.source) == ("net", "63.2", 10_000, "us")
    with pytest.raises(ValueError, match="unknown model 'net'; did you mean nets"):
        import_published(tmp_path / "wide.csv", listing, tmp_path / "out.csv", known=["nets", "x"])
    listing.write_text(head)
    with pytest.raises(ValueError, match=r"wide\.csv is not in it; add a line"):
        import_published(tmp_path / "wide.csv", listing, tmp_path / "out.csv")
