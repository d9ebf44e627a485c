"""Studies side by side, with Snakemake replaced by a note of what it was asked."""

import fcntl
import threading
import time
from pathlib import Path

import pytest
import yaml

from workflow_scripts import _run
from workflow_scripts._schema import StudyError

CONFIG = Path(__file__).parents[3] / "config"


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """What Snakemake was asked to do; what studies share is there once it was asked for it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_run, "POLL", 0.01)
    said: list[str] = []

    def done(command, study_file):
        said.append(" ".join(command[command.index("--nolock") + 1 :]) or "study")

    monkeypatch.setattr(_run, "_done", done)
    monkeypatch.setattr(_run, "_nothing_to_do", lambda command: "shared" in " ".join(said))
    return said


def test_what_studies_share_comes_first_and_options_go_to_snakemake(asked):
    assert _run.run(CONFIG / "tiny.yaml", CONFIG, ["--cores", "2"]) == "results/tiny"
    assert asked == ["shared --cores 2", "--cores 2"]


def test_a_dry_run_leaves_all_to_do_and_ends(asked, monkeypatch):
    looked = []
    monkeypatch.setattr(_run, "_nothing_to_do", lambda command: bool(looked.append(command)))
    assert _run.run(CONFIG / "tiny.yaml", CONFIG, ["--config", "a=1", "-n"]) == "results/tiny"
    assert asked == ["shared --config a=1 -n", "--config a=1 -n"]
    assert looked[0][-4:] == ["--dry-run", "--config", "a=1", "-n"]  # the study as it will run
    with Path("results/.locks/.shared").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # nothing is held at the end


def test_a_study_may_be_called_as_the_rule_is(asked, tmp_path):
    study = yaml.safe_load((CONFIG / "tiny.yaml").read_text()) | {"study": "shared"}
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(study))
    thread = threading.Thread(target=_run.run, args=(tmp_path / "s.yaml", CONFIG), daemon=True)
    thread.start()
    thread.join(timeout=30)
    assert not thread.is_alive()  # it once waited for its own lock
    assert asked == ["shared", "study"]


def test_the_same_study_twice_is_refused(asked):
    Path("results/.locks").mkdir(parents=True)
    with Path("results/.locks/tiny").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(StudyError, match="the study tiny is running already in this folder"):
            _run.run(CONFIG / "tiny.yaml", CONFIG)
    assert not asked


def started():
    thread = threading.Thread(target=_run.run, args=(CONFIG / "tiny.yaml", CONFIG))
    thread.start()
    return thread


def waiting(capsys):
    """Return what was said, once a study has said that it waits."""
    said, deadline = "", time.monotonic() + 60
    while "waiting" not in said:
        assert time.monotonic() < deadline
        time.sleep(0.01)
        said += capsys.readouterr().err
    return said


def test_nothing_shared_is_made_while_another_study_reads_it(asked, capsys):
    Path("results/.locks").mkdir(parents=True)
    with Path("results/.locks/.shared").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        thread = started()
        said = waiting(capsys)
        assert asked == []
    thread.join(timeout=30)
    assert asked == ["shared", "study"]
    assert (said + capsys.readouterr().err).count("waiting") == 1


def test_once_another_has_made_what_is_shared_both_go_on(asked, capsys):
    """The other study holds its lock to the end, and this one does not wait for it."""
    Path("results/.locks").mkdir(parents=True)
    with Path("results/.locks/.shared").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        thread = started()
        waiting(capsys)
        assert asked == []
        asked.append("shared, by the other")
        fcntl.flock(file, fcntl.LOCK_SH)
        thread.join(timeout=30)
        assert not thread.is_alive()
    assert asked == ["shared, by the other", "study"]


def test_a_study_with_a_mistake_is_refused_first(asked, tmp_path):
    study = yaml.safe_load((CONFIG / "tiny.yaml").read_text()) | {"models": ["resnet"]}
    (tmp_path / "s.yaml").write_text(yaml.safe_dump(study))
    with pytest.raises(StudyError, match="unknown id 'resnet'"):
        _run.run(tmp_path / "s.yaml", CONFIG)
    assert not asked


def test_an_error_of_snakemake_is_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(_run, "_nothing_to_do", lambda command: True)
    monkeypatch.setattr(_run.sys, "executable", "false")
    with pytest.raises(ValueError, match="Snakemake ended with an error, said above"):
        _run.run(CONFIG / "tiny.yaml", CONFIG)
