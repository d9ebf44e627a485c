import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import robusteval
from robusteval.files import sha256
from robusteval.records import Records, write_records
from workflow_scripts._job import job
from workflow_scripts._made_with import made_with
from workflow_scripts._provenance import catalogue_hash, is_table, write_provenance

STUDY = {"study": "s", "seed": 7, "models": ["m"]}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a catalogue, one cell and one table."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config/catalogue").mkdir(parents=True)
    (tmp_path / "config/catalogue/tests.yaml").write_text("clean: {kind: clean}\n")
    (tmp_path / "code.py").write_text("x = 1\n")
    index = pd.DataFrame({"image_id": [0, 1], "label": [1, 1], "condition": "clean", "severity": 0})
    settings = {"n": 2, "seed": 7, **made_with("cpu")}
    logits = np.array([[0, 1], [1, 0]], np.float32)
    frame = index.assign(prediction=logits.argmax(1))
    write_records("results/s/records/m/clean.parquet", Records(frame, logits, settings=settings))
    (tmp_path / "results/s/tables").mkdir()
    (tmp_path / "results/s/tables/accuracy.csv").write_text("model,n\nm,2\n")
    return tmp_path


RECORDS, TABLE = "results/s/records/m/clean.parquet", "results/s/tables/accuracy.csv"


def made(place, inputs=(RECORDS, "code.py")):
    write_provenance([TABLE], inputs, STUDY)
    return json.loads((place / "results/s/tables/accuracy.json").read_text())


def test_a_table_carries_what_it_was_made_with(place):
    found = made(place)
    assert found["sha256"] == sha256(TABLE) and found["study"] == "s"
    assert found["sources"] == {RECORDS: {"n": 2, "sha256": sha256(RECORDS)}}
    assert found["seed"] == [7] and found["precision"] == ["float32"]
    assert found["device"] == [made_with("cpu")["device"]]
    assert found["torch"] == [made_with("cpu")["torch"]]
    assert {"python", "numpy", "pandas", "robusteval"} <= found["software"].keys()
    assert len({found[f"{name}_hash"] for name in ("study", "catalogue", "code")}) == 3


@pytest.mark.parametrize("changed", ["study", "catalogue", "code"])
def test_its_hashes_change_with_what_they_are_of(place, changed):
    before = made(place)
    (place / "config/catalogue/tests.yaml").write_text(
        "clean: {kind: clean}\n" + "#" * (changed == "catalogue")
    )
    (place / "code.py").write_text("x = 1\n" + "#" * (changed == "code"))
    study = STUDY | ({"seed": 8} if changed == "study" else {})
    write_provenance([TABLE], [RECORDS, "code.py"], study)
    after = json.loads((place / "results/s/tables/accuracy.json").read_text())
    names = ("study_hash", "catalogue_hash", "code_hash")
    assert [n for n in names if before[n] != after[n]] == [f"{changed}_hash"]


def test_again_it_is_the_same_to_the_byte(place):
    made(place)
    before = (place / "results/s/tables/accuracy.json").read_bytes()
    made(place)
    assert (place / "results/s/tables/accuracy.json").read_bytes() == before


def test_a_table_of_a_table_has_the_device_of_the_first(place):
    made(place)
    (place / "results/s/tables/laws.csv").write_text("model\nm\n")
    write_provenance(["results/s/tables/laws.csv"], [TABLE], STUDY)
    found = json.loads((place / "results/s/tables/laws.json").read_text())
    assert found["device"] == [made_with("cpu")["device"]] and found["seed"] == [7]


def test_other_files_have_none(place):
    write_provenance(["results/s/figures/a.svg", RECORDS], [], STUDY)
    assert not list(place.rglob("*.json"))
    assert is_table(TABLE) and is_table("results/s/tables/transfer/fgsm.csv")
    assert not is_table("config/published/imagenet_x.csv")


def test_a_job_writes_it_when_it_ends_well_and_not_otherwise(place):
    snakemake = SimpleNamespace(
        log=["log"], threads=1, rule="tabulate", input=[RECORDS], output=[TABLE], config=STUDY
    )
    with pytest.raises(SystemExit), job(snakemake):
        raise ValueError("no")
    assert not list(place.rglob("*.json"))
    with job(snakemake):
        pass
    assert len(list(place.rglob("*.json"))) == 1


def test_the_catalogue_is_hashed_file_by_file(place):
    before = catalogue_hash()
    (place / "config/catalogue/models.yaml").write_text("{}\n")
    assert catalogue_hash() != before


def test_the_version_is_that_of_the_project():
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    assert robusteval.__version__ == project["project"]["version"]
