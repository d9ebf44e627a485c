"""pyproject.toml, the lock and environment.yml name the same packages."""

import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def asked():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return project["dependencies"] + project["optional-dependencies"]["dev"]


def locked():
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(pin.name): pin for pin in pins}


def test_the_conda_file_lists_what_the_project_asks_for():
    content = yaml.safe_load((ROOT / "environment.yml").read_text())
    python, _, pip = content["dependencies"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert python == f"python{project['requires-python']}"
    assert pip["pip"] == asked()


@pytest.mark.parametrize("line", asked())
def test_the_lock_pins_a_version_that_is_asked_for(line):
    requirement = Requirement(line)
    (pin,) = locked()[canonicalize_name(requirement.name)].specifier
    assert pin.operator == "=="
    assert requirement.specifier.contains(pin.version)


def test_what_is_installed_is_what_is_locked():
    for line in asked():
        name = canonicalize_name(Requirement(line).name)
        assert locked()[name].specifier.contains(version(name)), name


def test_dvc_has_a_stage_and_plots_for_each_study():
    command = [sys.executable, "-m", "dvc"]
    stages = subprocess.run(
        [*command, "stage", "list", "--name-only"], cwd=ROOT, capture_output=True, text=True
    )
    files = [*(ROOT / "config").glob("*.yaml"), *(ROOT / "config/paper").glob("*.yaml")]
    studies = {path: yaml.safe_load(path.read_text()).get("study") for path in files}
    wanted = {f"study@{name}" for name in studies.values() if name}
    assert set(stages.stdout.split()) == wanted, stages.stderr
    content = yaml.safe_load((ROOT / "dvc.yaml").read_text())
    named = content["stages"]["study"]["foreach"]
    assert named == {
        name: str(path.relative_to(ROOT / "config").with_suffix(""))
        for path, name in studies.items()
        if name
    }
    titles = [title for plot in content["plots"] for title in plot]
    assert titles == [f"{what} of {name}" for name in named for what in ("accuracy", "DAR")]


@pytest.mark.parametrize("path", sorted((ROOT / "data").glob("*.dvc")), ids=lambda p: p.stem)
def test_a_pin_has_a_hash_for_each_file_and_a_licence(path):
    pin = yaml.safe_load(path.read_text())
    assert pin["outs"][0]["path"] == path.stem
    assert pin["outs"][0]["nfiles"] == len(pin["meta"]["sha256"]) > 0
    assert pin["meta"]["licence"] in ("MIT", "Apache-2.0", "CC0-1.0")
    assert f"/{path.stem}" in (ROOT / "data/.gitignore").read_text().split()


def test_published_weights_of_the_catalogue_have_a_licence():
    path = ROOT / "config/catalogue/models.yaml"
    for name, entry in yaml.safe_load(path.read_text()).items():
        weights = entry.get("weights", {})
        known = "hub" in weights and entry["builder"] == "timm"  # timm says it with the weights
        assert not weights or known or weights.get("licence"), name
