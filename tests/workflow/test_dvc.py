"""DVC around a finished study: archives that come back rerun nothing; repro, metrics and plots."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from workflow_scripts import _archive

ROOT = Path(__file__).parents[2]
GIT = ["git", "-c", "user.name=test", "-c", "user.email=test@example.org"]


@pytest.fixture(scope="module")
def versioned(tiny):
    """The finished tiny study in a repository of git and DVC with a remote."""
    shutil.copy(ROOT / "dvc.yaml", tiny.folder)
    shutil.copy(ROOT / "data/.gitignore", tiny.folder / "data")
    (tiny.folder / ".gitignore").write_text((ROOT / ".gitignore").read_text())
    call(tiny, "git", "init", "--quiet")
    call(tiny, *DVC, "init", "--quiet")
    shutil.copytree(ROOT / ".dvc/plots", tiny.folder / ".dvc/plots")
    call(tiny, *DVC, "remote", "add", "-d", "shelf", str(tiny.folder.parent / "shelf"))
    commit(tiny)
    yield tiny
    for name in (".git", ".dvc"):
        shutil.rmtree(tiny.folder / name)


DVC = [sys.executable, "-m", "dvc"]


def call(workspace, *command):
    """Return what a command prints; `snakemake` is the one that runs the tests."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    result = subprocess.run(
        command,
        cwd=workspace.folder,
        env={**workspace.environment(), "PATH": path},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
    return result.stdout


def commit(workspace):
    call(workspace, "git", "add", "--all")
    call(workspace, *GIT, "commit", "--quiet", "--allow-empty", "-m", "state")


def test_a_pull_reruns_nothing(versioned, monkeypatch):
    monkeypatch.chdir(versioned.folder)
    folder = Path("results/tiny/adversarial")
    before = {path: path.read_bytes() for path in sorted(folder.rglob("*.*"))}
    assert "pushed" in _archive.push("tiny")
    assert "archives" in call(versioned, "git", "status", "--short", "data")
    commit(versioned)
    for path in folder.rglob("*.safetensors"):
        path.unlink()
    shutil.rmtree(folder / "cnn_tiny/pgd_l2")  # whole, with its card and records
    _archive.pull("tiny")
    assert {path: path.read_bytes() for path in sorted(folder.rglob("*.*"))} == before
    assert "Nothing to be done" in versioned.run("--dry-run")


@pytest.mark.slow
def test_repro_metrics_and_plots(versioned):
    before = versioned.tables()
    call(versioned, *DVC, "repro", "study@tiny")
    assert versioned.tables() == before
    commit(versioned)
    assert "study@tiny" not in call(versioned, *DVC, "status", "study@tiny")
    metrics = versioned.folder / "results/tiny/metrics.json"
    content = json.loads(metrics.read_text())
    old = content["accuracy_pct_higher_better"]["cnn_tiny"]["clean"]
    content["accuracy_pct_higher_better"]["cnn_tiny"]["clean"] = old + 1
    text = metrics.read_text()
    metrics.write_text(json.dumps(content))
    diff = json.loads(call(versioned, *DVC, "metrics", "diff", "--json"))
    metrics.write_text(text)
    (change,) = diff["results/tiny/metrics.json"].values()
    assert (change["old"], change["new"]) == (old, old + 1)
    call(versioned, *DVC, "plots", "diff", "HEAD")
    page = (versioned.folder / "dvc_plots/index.html").read_text()
    assert "accuracy of tiny" in page and "DAR of tiny" in page and "<DVC_" not in page
