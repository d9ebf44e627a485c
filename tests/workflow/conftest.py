"""Studies run in a copy of the tree, so that a test never touches the results of a person."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
LONGEST = 3000  # seconds that a study may take; more is one that waits for ever
COPIED = ["Snakefile", "rules", "workflow_scripts", "robusteval", "config", "profiles", "report"]
COPIED += ["environment.yml", "pyproject.toml"]


class Workspace:
    """A copy of the tree, with results of its own."""

    def __init__(self, folder):
        self.folder = folder
        for name in COPIED:
            source = ROOT / name
            if source.is_dir():
                ignore = shutil.ignore_patterns("__pycache__")
                shutil.copytree(source, folder / name, ignore=ignore)
            else:
                shutil.copy(source, folder / name)
        (folder / "data").mkdir()
        for pin in (ROOT / "data").glob("*.dvc"):
            shutil.copy(pin, folder / "data")
            fetched = pin.with_suffix("")
            if fetched.is_dir():  # a person's own copies spare the download
                (folder / "data" / fetched.name).symlink_to(fetched)

    def command(self, *arguments, study="tiny"):
        config = ["--configfile", f"config/{study}.yaml"]
        return [sys.executable, "-m", "snakemake", *config, "--cores", "2", *arguments]

    def environment(self):
        return {**os.environ, "COLUMNS": "200"}

    def run(self, *arguments, study="tiny", check=True):
        """Run Snakemake; return what it printed."""
        result = subprocess.run(
            self.command(*arguments, study=study),
            cwd=self.folder,
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=LONGEST,
        )
        text = result.stdout + result.stderr
        assert (result.returncode == 0) == check, text[-5000:]
        return text

    def jobs(self, *arguments, study="tiny"):
        """Return how many jobs of each rule a dry run announces."""
        text = self.run("--dry-run", *arguments, study=study)
        found = {}
        if "Job stats:" in text:
            table = text.split("Job stats:")[1].split("\n\n")[0]
            found = {n: int(c) for n, c in re.findall(r"^(\w+) +(\d+)$", table, re.MULTILINE)}
            found.pop("total"), found.pop("all", None)
        return found

    def write_study(self, name, **changes):
        """Write a study like tiny.yaml but for ``changes``."""
        study = yaml.safe_load((self.folder / "config/tiny.yaml").read_text())
        study |= {"study": name, **changes}
        (self.folder / f"config/{name}.yaml").write_text(yaml.safe_dump(study))

    def add_models(self, text):
        """Add entries to the catalogue's models."""
        with (self.folder / "config/catalogue/models.yaml").open("a") as file:
            file.write(text)

    def tables(self, study="tiny"):
        """Return the bytes of all tables."""
        folder = self.folder / f"results/{study}/tables"
        return {path.name: path.read_bytes() for path in sorted(folder.glob("*.csv"))}


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """A workspace without results."""
    return Workspace(tmp_path_factory.mktemp("fresh"))


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """A workspace in which the tiny study has run."""
    workspace = Workspace(tmp_path_factory.mktemp("tiny"))
    workspace.run()
    return workspace
