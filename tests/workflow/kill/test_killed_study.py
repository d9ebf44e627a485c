"""A study killed at ten random moments, started again each time: the same tables to the byte.

What is killed is Snakemake, whose jobs then outlive it; a job; or a job as a scheduler does it when
its time is over, with a warning and a second to tidy up.
"""

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

STUDY = "killed"
TABLES = ["accuracy", "attacks", "transfer", "clever"]
TARGETS = [f"results/{STUDY}/tables/{name}.csv" for name in TABLES]
ROUNDS = 10


def tables(workspace):
    """Return the bytes of the tables and of what says where they come from."""
    folder = workspace.folder / f"results/{STUDY}/tables"
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


@pytest.fixture(scope="module")
def study(fresh):
    fresh.write_study(
        STUDY,
        models=["cnn_tiny"],
        tests=["clean", "fgsm", "ead_short", "clever_short"],
        counts={"clean": 300, "adversarial": 160, "ead_short": 48, "probe": 8},
    )
    fresh.run("results/models/cnn_tiny/card.json", study=STUDY)
    begun = time.monotonic()
    fresh.run(*TARGETS, study=STUDY)
    fresh.seconds = time.monotonic() - begun
    fresh.undisturbed = tables(fresh)
    assert len(fresh.undisturbed) >= 2 * len(TABLES)
    return fresh


def jobs_in(folder):
    """Return the ids of the processes of jobs that run in a folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes()
            here = (process / "cwd").resolve()
        except OSError:
            continue
        if here == folder and b".snakemake/scripts/" in command:
            found.append(int(process.name))
    return sorted(found)


def send(pid, what):
    try:
        os.kill(pid, what)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("number", range(ROUNDS))
def test_after_a_kill_the_same_command_gives_the_same_bytes(study, number):
    chance = random.Random(number)
    how = ("snakemake", "job", "time limit")[number % 3]
    shutil.rmtree(study.folder / f"results/{STUDY}")
    if number % 5 == 4:
        shutil.rmtree(study.folder / "results/models/cnn_tiny")  # in the training, too
    process = subprocess.Popen(
        study.command(*TARGETS, study=STUDY),
        cwd=study.folder,
        env=study.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(chance.uniform(0.1, 0.9) * study.seconds)
    if how == "snakemake":
        process.kill()
    else:
        while not (running := jobs_in(study.folder.resolve())) and process.poll() is None:
            time.sleep(0.01)
        victim = chance.choice(running) if running else 0
        if victim and how == "time limit" and send(victim, signal.SIGTERM):
            time.sleep(1)
        if victim:
            send(victim, signal.SIGKILL)
    process.wait(timeout=1800)
    if how == "snakemake":
        study.run("--unlock", study=STUDY)
    study.run(*TARGETS, study=STUDY)
    assert tables(study) == study.undisturbed, f"{how}, seed {number}"
