import logging
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from workflow_scripts._job import device, job

NOTHING: dict = {"input": [], "output": [], "config": {}}


@pytest.fixture
def snakemake(tmp_path, monkeypatch):
    """What a script gets, and logging and variables as they were afterwards."""
    for name in ("OMP_NUM_THREADS", "OMP_WAIT_POLICY"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield SimpleNamespace(
        log=[str(tmp_path / "logs" / "job.log")], threads=1, rule="craft", **NOTHING
    )
    root.handlers[:], _ = before
    root.setLevel(before[1])


def log_of(snakemake):
    return Path(snakemake.log[0]).read_text()


def test_a_job_logs_its_steps(snakemake):
    with job(snakemake):
        logging.getLogger("x").info("half way")
    assert "half way" in log_of(snakemake) and "done" in log_of(snakemake)


def test_an_error_for_people_is_one_line(snakemake):
    with pytest.raises(SystemExit), job(snakemake):
        raise ValueError("raw.gz: damaged")
    assert "error: raw.gz: damaged" in log_of(snakemake)
    assert "Traceback" not in log_of(snakemake)


def test_a_bug_keeps_its_traceback(snakemake):
    with pytest.raises(ZeroDivisionError), job(snakemake):
        1 / 0  # noqa: B018
    assert "Traceback" in log_of(snakemake)


def test_without_devices_it_is_the_cpu(tmp_path, monkeypatch):
    monkeypatch.delenv("ROBUSTEVAL_DEVICES", raising=False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 0)
    with device(1, tmp_path) as name:
        assert name == "cpu" and torch.get_num_threads() == 1


def test_devices_are_named_with_or_without_spaces(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUSTEVAL_DEVICES", "fake:0, fake:1,")
    with device(1, tmp_path) as one, device(1, tmp_path) as other:
        assert {one, other} == {"fake:0", "fake:1"}


def test_a_gpu_asked_for_where_there_is_none_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setenv("ROBUSTEVAL_DEVICES", "cuda:0")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with (
        pytest.raises(ValueError, match="asks for cuda:0, but torch sees no GPU"),
        device(1, tmp_path),
    ):
        pass
