"""Two studies at once in one checkout: both end, and each is what it is by itself."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

NAMES = ("one", "two")
# They share a model and the images; the second has its own number of images and its own seed.
CHANGES = {
    "one": {"seed": 1, "counts": {"clean": 200, "adversarial": 32}},
    "two": {"seed": 2, "counts": {"clean": 300, "adversarial": 48}},
}


def started(workspace, name, *options):
    command = [sys.executable, "-m", "robusteval", "run", f"config/{name}.yaml", "--cores", "1"]
    return subprocess.Popen(
        [*command, *options],
        cwd=workspace.folder,
        env=workspace.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.fixture(scope="module")
def both(fresh):
    """A workspace in which two studies, with nothing there at first, have run at once."""
    for name in NAMES:
        fresh.write_study(name, models=["cnn_tiny"], tests=["clean", "fgsm"], **CHANGES[name])
    processes = [(name, started(fresh, name)) for name in (*NAMES, "one")]
    said = [(name, p.communicate(timeout=1800)[0], p.returncode) for name, p in processes]
    # Of the two of one study, that which came second.
    (fresh.refused,) = (text for _, text, code in said if code)
    fresh.said = {name: text for name, text, code in said if not code}
    assert fresh.said.keys() == set(NAMES)
    return fresh


def test_both_end_and_nothing_is_left_to_be_done(both):
    for name in NAMES:
        assert (both.folder / f"results/{name}/manifest.json").is_file()
        assert "Nothing to be done" in both.run(study=name)


def test_the_model_that_both_need_was_trained_once(both):
    assert sum(text.count("rule train_model:") for text in both.said.values()) == 1


def test_nothing_is_mixed(both):
    """Made again alone, each table has the same bytes."""
    for name in NAMES:
        before = both.tables(name)
        (both.folder / f"results/{name}").rename(both.folder / f"results/{name}_before")
        both.run(*(f"results/{name}/tables/{table}" for table in before), study=name)
        assert both.tables(name) == before and len(before) > 10
    assert both.tables("one")["accuracy.csv"] != both.tables("two")["accuracy.csv"]


def test_the_same_study_twice_at_once_is_refused(both):
    assert "the study one is running already in this folder" in both.refused
