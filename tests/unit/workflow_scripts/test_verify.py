"""A study of one cell and one attack, damaged in one way after another.

Making tables again needs the whole workflow: tests/workflow/test_acceptance_of_studies.py.
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from robusteval.files import sha256, write_json
from robusteval.records import Records, write_records
from workflow_scripts._commands import main
from workflow_scripts._derive import deriving_rules
from workflow_scripts._provenance import write_provenance
from workflow_scripts._verify import MismatchError, verify
from workflow_scripts.write_manifest import write_manifest

STUDY = {"study": "s", "seed": 7}
RECORDS, TABLE = "results/s/records/m/clean.parquet", "results/s/tables/accuracy.csv"
SHARD = "results/s/adversarial/m/fgsm/condition_000_from_000000.safetensors"
WEIGHTS = "results/models/m/weights.safetensors"


def records(prediction=(1, 0)):
    index = pd.DataFrame({"image_id": [0, 1], "label": [1, 1], "condition": "clean", "severity": 0})
    logits = np.array([[0, 1], [1, 0]], np.float32)
    frame = index.assign(prediction=prediction)
    write_records(RECORDS, Records(frame, logits, settings={"n": 2, "seed": 7}))


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("adversarial/m/fgsm", "tables", "logs"):
        (tmp_path / "results/s" / folder).mkdir(parents=True)
    (tmp_path / "results/models/m").mkdir(parents=True)
    records()
    for file in (SHARD, WEIGHTS):
        (tmp_path / file).write_bytes(bytes(range(100)))
    card = {"status": "ok", "shards": {"condition_000_from_000000": sha256(SHARD)}}
    write_json("results/s/adversarial/m/fgsm/card.json", card)
    write_json("results/models/m/card.json", {"weights_sha256": sha256(WEIGHTS)})
    (tmp_path / TABLE).write_text("model,n\nm,2\n")
    write_provenance([TABLE], [RECORDS], STUDY)
    (tmp_path / "results/s/logs/x.log").write_text("12:00 done")
    finished()
    return tmp_path / "results/s"


def finished():
    write_manifest(STUDY, ["models/m", "images/none"], Path("results/s/manifest.json"))


def flip(path):
    content = bytearray(path.read_bytes())
    content[50] ^= 1
    path.write_bytes(content)


def found(*, again=False):
    """Return what does not match; ``again`` writes the manifest anew first, as if all were well."""
    if again:
        finished()
    with pytest.raises(MismatchError) as error:
        verify(Path("results/s"), quick=True)
    return str(error.value).splitlines()


def test_what_ended_well_matches(study):
    assert verify(Path("results/s"), quick=True).startswith("results/s: 7 files match; 1 tables")
    (study / "logs/x.log").write_text("13:00 done")  # another run tells otherwise
    assert verify(Path("results/s"), quick=True)


def test_a_catalogue_that_has_changed_since_is_said_beside_what_does_or_does_not_match(study):
    note = (
        "note: 1 of 1 tables of results/s were made with another config/catalogue than today's, by "
        "which tables are made again"
    )
    Path("config/catalogue").mkdir(parents=True)
    Path("config/catalogue/tests.yaml").write_text("clean: {kind: clean}\n")
    lines = verify(Path("results/s"), quick=True).splitlines()
    assert lines[0] == note and lines[1].startswith("results/s: 7 files match") and len(lines) == 2
    (study / "tables/accuracy.json").unlink()
    assert not any(line.startswith("note: ") for line in found())  # nothing says with which
    write_provenance([TABLE], [RECORDS], STUDY)  # with today's
    finished()
    assert verify(Path("results/s"), quick=True).startswith("results/s: 7 files match")
    Path("config/catalogue/tests.yaml").write_text("clean: {kind: clean}  # first\n")
    flip(study.parent.parent / SHARD)
    assert note in found()


@pytest.mark.parametrize("file", [SHARD, WEIGHTS, RECORDS, TABLE])
def test_a_flipped_bit_in_any_file_is_one_line(study, file):
    flip_at = study.parent.parent / file
    content = bytearray(flip_at.read_bytes())
    content[min(50, len(content) - 2)] ^= 1
    flip_at.write_bytes(content)
    lines = found()
    assert lines[0].startswith(f"{file}: changed since the study ended: SHA-256 ")
    assert file in {RECORDS, TABLE} or len(lines) == 2
    assert lines[-1].endswith("files of results/s do not match")


@pytest.mark.parametrize("file", [SHARD, WEIGHTS])
def test_a_new_manifest_does_not_hide_it_from_the_cards(study, file):
    flip(study.parent.parent / file)
    (line, _) = found(again=True)
    assert line.startswith(f"{file}: missing or not the file that ")
    assert line.endswith("card.json was written for")


def test_a_record_edited_by_hand_contradicts_its_logits(study):
    records(prediction=(1, 1))
    lines = found(again=True)
    assert f"{RECORDS}: prediction of row 1 is not that of its largest logit" in lines


def test_records_without_a_row_are_named(study):
    import pyarrow.parquet as pq

    pq.write_table(pq.read_table(RECORDS).slice(0, 1), RECORDS)
    assert f"{RECORDS}: 1 rows, 2 expected; delete it and run again" in found(again=True)


@pytest.mark.parametrize("place", ["unmasked/m", "searched/m/t/records", "visibility/m"])
def test_records_are_held_against_their_logits_wherever_they_are(study, place):
    records(prediction=(1, 1))
    (study / place).parent.mkdir(parents=True)
    moved = Path(RECORDS).rename(study / f"{place}.parquet")
    records()
    assert found(again=True)[0].startswith(f"results/s/{moved.relative_to(study)}: prediction of ")


def test_ranges_of_neurons_are_held_against_their_card(study):
    ranges = study / "neurons/m/ranges.safetensors"
    ranges.parent.mkdir(parents=True)
    ranges.write_bytes(bytes(100))
    write_json(ranges.with_name("card.json"), {"sha256": sha256(ranges), "n": 3})
    finished()
    assert verify(Path("results/s"), quick=True)
    flip(ranges)
    assert found(again=True)[0].startswith("results/s/neurons/m/ranges.safetensors: missing or not")


@pytest.mark.parametrize("name", ["tables/accuracy.json", "adversarial/m/fgsm/card.json"])
def test_what_says_where_files_come_from_may_be_damaged_itself(study, name):
    (study / name).write_text('{"sha256": ')
    assert f"results/s/{name}: changed since the study ended" in found()[0]
    assert any("damaged" in line for line in found(again=True))


def test_a_damaged_manifest_is_one_line(study, capsys):
    (study / "manifest.json").write_text('{"filds": {}}')
    assert main(["verify", "results/s", "--quick"]) == 1
    assert "manifest.json: damaged; delete it" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["results/s", "results/s/", "s", "config/s.yaml", "moved/s"])
def test_a_study_has_several_names_and_may_lie_elsewhere(study, name):
    Path("config").mkdir()
    Path("config/s.yaml").write_text("study: s")
    Path("config/a.csv").write_text("x")
    write_provenance([TABLE], [RECORDS, "config/a.csv"], STUDY)
    finished()
    if name == "moved/s":
        Path("results").rename("moved")
    assert "7 files match" in verify(Path(name), quick=True)


def test_metrics_may_be_asked_for_later(study):
    (study / "metrics.json").write_text("{}")
    assert verify(Path("results/s"), quick=True)


def test_a_table_older_than_its_records_is_named(study):
    frame = pd.DataFrame({"image_id": [0], "label": [1], "condition": "clean", "severity": 0})
    one = Records(frame.assign(prediction=1), np.array([[0, 1]], np.float32))
    write_records(RECORDS, one)
    assert found(again=True)[0] == (
        f"{TABLE}: older than what it was made of: {RECORDS} has changed since"
    )


def test_a_table_edited_by_hand_is_named(study):
    (study / "tables/accuracy.csv").write_text("model,n\nm,3\n")
    assert found(again=True)[0].startswith(f"{TABLE}: not the table that accuracy.json was written")


def test_a_table_without_its_provenance_is_named(study):
    (study / "tables/accuracy.json").unlink()
    assert "accuracy.json, which says where it comes from, is missing" in found(again=True)[0]


def test_a_file_gone_and_a_file_too_many_are_named(study):
    (study.parent.parent / SHARD).unlink()
    (study / "extra.svg").write_bytes(b"x")
    (study / "records/m/.clean.parquet.12.tmp.parquet").write_bytes(b"x")  # of a killed job
    lines = found()
    assert f"{SHARD}: missing" in lines
    assert "results/s/extra.svg: not in manifest.json: it came after the study ended" in lines
    assert len(lines) == 3


def test_the_command_prints_the_lines_and_fails(study, capsys):
    assert main(["verify", "results/s", "--quick"]) == 0
    flip(study.parent.parent / SHARD)
    assert main(["verify", "results/s", "--quick"]) == 1
    assert SHARD in capsys.readouterr().out
    (study / "manifest.json").unlink()
    assert main(["verify", "results/s"]) == 1
    assert "run the study to its end first" in capsys.readouterr().err


def test_verify_knows_every_rule_that_writes_a_table_of_a_study():
    root = Path(__file__).parents[3]
    text = "\n".join(path.read_text() for path in (root / "rules").glob("*.smk"))
    rules = re.findall(r"(?ms)^rule (\w+):\n(.*?)(?=^\S|\Z)", text)
    outputs = {name: body.split("output:")[-1].split("log:")[0] for name, body in rules}
    writing = {name for name, output in outputs.items() if "<study>/tables/" in output}
    assert len(writing) > 20 and writing <= {*deriving_rules(root)}
