"""Studies on a real SLURM of one node: submitted whole, and through what happens to long ones."""

import re
import subprocess
import time
from types import SimpleNamespace

import pytest

from robusteval.files import sha256
from tests.workflow.conftest import Workspace

SMALL = {
    "models": ["cnn_tiny"],
    "tests": ["clean", "unrecognisable", "pgd_linf"],
    "counts": {"clean": 400, "unrecognisable": 20, "adversarial": 256},
}
TARGETS = [
    "results/small/transfer/cnn_tiny.list",
    "results/small/records/cnn_tiny/clean.parquet",
    "results/small/records/cnn_tiny/unrecognisable.parquet",
]
PATIENCE = 900  # seconds for the small study, on a machine that does other things, too


def asked(cluster, rule):
    """Return what the jobs of a rule asked for and how they ended, in their order."""
    text = cluster.command("squeue", "-h", "-r", "--states=all", "-o", "%A %T %m %k")
    rows = [line.split() for line in text.splitlines()]
    rows = [row for row in rows if re.fullmatch(rf"rule_{rule}(_wildcards_.*)?", row[3])]
    return [(state, memory) for _, state, memory, _ in sorted(rows, key=lambda row: int(row[0]))]


@pytest.fixture(scope="module")
def survived(submitted, cluster):
    """A small study in which a job was cancelled, one requeued, and the controller restarted."""
    submitted.write_study("small", **SMALL)
    process = subprocess.Popen(
        submitted.command(*TARGETS, study="small"),
        cwd=submitted.folder,
        env=submitted.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    seen = SimpleNamespace(workspace=submitted)
    try:
        cancelled = cluster.wait_for_job("train_model")
        cluster.command("scancel", cancelled)
        cluster.stop_controller()
        time.sleep(8)  # longer than Snakemake goes without asking it
        cluster.start_controller()
        seen.craft = cluster.wait_for_job("craft")
        seen.details = cluster.command("scontrol", "show", "job", seen.craft)
        # What a job of a higher priority does to it. SLURM would let it wait for two minutes.
        cluster.command("scontrol", "requeue", seen.craft)
        cluster.wait_for_job("craft", "PENDING")
        cluster.wait_until_gone(seen.craft)
        cluster.command("scontrol", "update", f"JobId={seen.craft}", "StartTime=now")
        seen.text = process.communicate(timeout=PATIENCE)[0]
    finally:
        process.kill()
    assert process.returncode == 0, seen.text[-5000:]
    return seen


def test_a_job_that_was_cancelled_is_retried_with_more(survived, cluster):
    assert asked(cluster, "train_model") == [("CANCELLED", "8000M"), ("COMPLETED", "16000M")]


def test_a_job_that_was_preempted_goes_on_by_itself(survived, cluster):
    assert asked(cluster, "craft") == [("COMPLETED", "8000M")]
    assert "Restarts=1" in cluster.command("scontrol", "show", "job", survived.craft)


def test_a_job_on_a_gpu_has_one(survived, cluster):
    assert "TresPerJob=gres:gpu:1" in survived.details
    assert "TimeLimit=12:00:00" in survived.details
    other = cluster.wait_for_job("build_images", "COMPLETED", patience=1)
    assert "gpu" not in cluster.command("scontrol", "show", "job", other)


def test_short_jobs_are_an_array(survived, cluster):
    text = cluster.command("squeue", "-h", "-r", "--states=all", "-o", "%i|%k")
    rows = [line.split("|") for line in text.splitlines() if "build_unrecognisable" in line]
    assert len(rows) == 4
    (array,) = {job.split("_")[0] for job, _ in rows}
    assert sorted(job for job, _ in rows) == [f"{array}_{number}" for number in range(1, 5)]


def test_the_results_are_those_of_one_machine(survived, tmp_path):
    local = Workspace(tmp_path)
    local.write_study("small", **SMALL)
    local.run(*TARGETS, study="small")
    for target in TARGETS:
        assert sha256(survived.workspace.folder / target) == sha256(tmp_path / target), target
    assert "Nothing to be done" in local.run(*TARGETS, study="small")


def test_a_job_out_of_memory_is_retried_with_more(survived, cluster):
    target = "results/small/checks/cnn_tiny.json"
    # Snakemake, torch and the images take more than 200 and less than 1,800 MB.
    memory = ["--set-resources", "check_model:mem_mb=200*attempt*attempt*attempt*attempt"]
    survived.workspace.run(target, *memory, study="small")
    # SLURM kills the first. Without cgroups it calls that FAILED, with them OUT_OF_MEMORY; the
    # plugin takes both for the same.
    assert asked(cluster, "check_model") == [("FAILED", "200M"), ("COMPLETED", "3200M")]
    assert "exceeded memory limit" in (cluster.folder / "slurmd.log").read_text()


@pytest.mark.slow  # a quarter of an hour on two cores: each job starts Snakemake twice
def test_the_tiny_study_runs_to_its_end(submitted):
    submitted.run()
    assert (submitted.folder / "results/tiny/report.html").is_file()
    assert "Nothing to be done" in submitted.run("--dry-run")
