"""A job that is killed loses at most a shard, and the end is the same to the byte."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from robusteval.files import sha256
from workflow_scripts.craft import SHARD

MODEL = "results/models/cnn_tiny"
ATTACK = "results/killed/adversarial/cnn_tiny/pgd_linf"
WEIGHTS = f"{MODEL}/weights.safetensors"


@pytest.fixture(scope="module")
def study(fresh):
    fresh.write_study(
        "killed",
        models=["cnn_tiny"],
        tests=["clean", "pgd_linf"],
        counts={"clean": 3 * SHARD, "adversarial": 3 * SHARD},
    )
    fresh.run(f"{ATTACK}/card.json", study="killed")
    return fresh


def run_and_kill(workspace, target, started, script):
    """Run until the file ``started`` is there, then kill the job; return what Snakemake printed."""
    process = subprocess.Popen(
        workspace.command(target, study="killed"),
        cwd=workspace.folder,
        env=workspace.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not started.exists():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.002)
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().decode()
        except OSError:
            continue
        if f".{script}.py" in command and str(workspace.folder) in str((folder / "cwd").readlink()):
            os.kill(int(folder.name), signal.SIGKILL)
    text = process.communicate(timeout=60)[0]
    assert process.returncode != 0, text
    return text


def files(folder):
    return {path.name: sha256(path) for path in sorted(folder.iterdir()) if path.is_file()}


def test_an_attack_goes_on_at_the_next_shard(study):
    folder = study.folder / ATTACK
    undisturbed = files(folder)
    for path in folder.iterdir():
        path.unlink()
    first = folder / "condition_000_from_000000.safetensors"
    run_and_kill(study, f"{ATTACK}/card.json", first, "craft")
    assert not (folder / "card.json").exists()
    kept = first.stat().st_mtime_ns
    assert len(list(folder.glob("*.safetensors"))) < 3
    study.run(f"{ATTACK}/card.json", study="killed")
    assert files(folder) == undisturbed
    assert first.stat().st_mtime_ns == kept


def test_a_training_goes_on_at_the_next_epoch(study):
    folder = study.folder / MODEL
    undisturbed = files(folder)
    for name in undisturbed:
        (folder / name).unlink()
    checkpoint = folder / "checkpoints/checkpoint.safetensors"
    run_and_kill(study, WEIGHTS, checkpoint, "train_model")
    assert not (study.folder / WEIGHTS).exists()
    study.run(WEIGHTS, study="killed")
    assert files(folder) == undisturbed
    assert not checkpoint.exists()
