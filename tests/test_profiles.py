"""What the profile for clusters says fits the rules, and the rules say what a job needs there."""

import math
import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PROFILE = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text())
RULES = {
    name: body
    for path in sorted((ROOT / "rules").glob("*.smk"))
    for name, body in re.findall(r"(?ms)^rule (\w+):\n(.*?)(?=^\S|\Z)", path.read_text())
}
ARRAYS = [name.strip() for name in PROFILE["slurm-array-jobs"].split(",")]


def test_rules_with_a_model_say_how_much_memory_and_time_they_need():
    for name, body in RULES.items():
        if "gpu=" in body or "weights.safetensors" in body:
            # More of both when a job is retried: what was too little once is so again.
            assert "mem_mb=growing(" in body and "runtime=growing(" in body, name


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_are_of_rules_of_many_short_jobs(name):
    outputs = RULES[name].split("output:")[1].split("log:")[0]
    assert "{" in outputs, "a rule of one job"
    factors = re.search(r"runtime=growing\(([\d* ]+)\)", RULES[name])[1].split("*")
    assert math.prod(map(int, factors)) <= 4 * 60  # minutes


def test_nothing_in_the_profile_cuts_an_array_short():
    # The plugin waits for the rest of a rule's ready jobs, which it is never handed again.
    assert PROFILE["jobs"] >= 100_000
    assert int(PROFILE["max-jobs-per-timespan"].split("/")[0]) >= 100_000
    assert "resources" not in PROFILE and "scheduler-subsample" not in PROFILE


def test_jobs_of_rules_that_ask_for_nothing_get_more_when_retried():
    assert PROFILE["retries"] >= 1
    for name in ("mem_mb", "runtime"):
        assert "attempt" in PROFILE["default-resources"][name]
    assert PROFILE["slurm-requeue"] is True
