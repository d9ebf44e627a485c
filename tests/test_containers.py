"""The container files name what is there, at one version, and install the lock."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCKERFILE = ROOT / "container/Dockerfile"
DEFINITION = ROOT / "container/robusteval.def"
PINNED = re.compile(r"python:3\.11\.\d+-slim-[a-z]+")
INSTRUCTIONS = {"FROM", "ENV", "RUN", "WORKDIR", "COPY", "USER", "CMD"}


def instructions():
    """Return the Dockerfile's (instruction, rest), continued lines joined, without comments."""
    lines = [line for line in DOCKERFILE.read_text().splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [tuple(line.split(None, 1)) for line in joined.splitlines() if line]


def sections():
    """Return the definition's head and its sections by name."""
    parts = re.split(r"(?m)^%(\w+)\n", DEFINITION.read_text())
    return {"head": parts[0]} | dict(zip(parts[1::2], parts[2::2], strict=True))


def ignored(path):
    """Return whether .dockerignore keeps a top-level file or folder out of the build."""
    lines = (ROOT / ".dockerignore").read_text().split("\n")
    return path in lines or f"{path}/" in lines


def test_the_dockerfile_knows_its_instructions_and_ends_without_root():
    names = [name for name, _ in instructions()]
    assert names[0] == "FROM" and set(names) == INSTRUCTIONS
    users = [rest for name, rest in instructions() if name == "USER"]
    assert users == ["nobody"] and names.index("USER") > max(
        place for place, name in enumerate(names) if name == "RUN"
    )


def test_both_start_from_the_same_version():
    (image,) = [rest for name, rest in instructions() if name == "FROM"]
    assert PINNED.fullmatch(image)
    assert f"Bootstrap: docker\nFrom: {image}\n" in sections()["head"]


def test_what_is_copied_is_there_and_in_git():
    copied = [shlex.split(rest)[:-1] for name, rest in instructions() if name == "COPY"]
    files = [line.split()[0] for line in sections()["files"].splitlines() if line]
    sources = [source for line in copied for source in line] + files
    assert {"requirements.lock", "Snakefile", "rules", "robusteval"} <= set(sources)
    for source in sources:
        assert (ROOT / source).exists() and not ignored(source), source


def test_the_lock_is_copied_before_it_is_installed_and_the_code_after():
    steps = [f"{name} {rest}" for name, rest in instructions()]
    (install,) = [step for step in steps if "pip install" in step]
    assert "--no-deps -r requirements.lock" in install
    order = [steps.index(s) for s in ("COPY requirements.lock ./", install, "COPY rules rules")]
    assert order == sorted(order)
    assert "--no-deps" in sections()["post"] and "-r /opt/requirements.lock" in sections()["post"]


@pytest.mark.parametrize("tool", ["install", "update"])
def test_apt_leaves_no_lists_and_asks_nothing(tool):
    runs = [rest for name, rest in instructions() if name == "RUN" and "apt-get" in rest]
    for text in (*runs, sections()["post"]):
        assert f"apt-get {tool}" in text and "rm -rf /var/lib/apt/lists/*" in text
        assert "--yes --no-install-recommends" in text


@pytest.mark.parametrize("section", ["post", "environment", "runscript", "test"])
def test_the_sections_are_shell(section):
    result = subprocess.run(["sh", "-n"], input=sections()[section], text=True, capture_output=True)
    assert result.returncode == 0, result.stderr


def test_the_commands_of_the_dockerfile_are_shell():
    for name, rest in instructions():
        if name == "RUN":
            subprocess.run(["sh", "-n"], input=rest, text=True, check=True)
