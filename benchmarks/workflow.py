"""What the workflow itself costs: a dry run of 8,000 jobs, and the time of a job beside its work.

A study of many attacks stands for a large one; nothing of it is run. The time of a job is that of a
Snakemake which makes tables of one row, as every job of this project makes them. On a machine that
does other things too, the processor's time beside it is what counts.
"""

import argparse
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

BARS = {"dry run of 8,000 jobs, s": 30.0, "overhead of a job, s": 2.0}
MODELS, ATTACKS = 18, 430  # models as in the largest study of a paper
JOBS = 8_000


def large_study(folder: Path) -> Path:
    """Write a study of ``MODELS`` models and ``ATTACKS`` attacks, of at least ``JOBS`` jobs."""
    training = yaml.safe_load(Path("config/catalogue/models.yaml").read_text())["cnn_tiny"]
    models = {
        f"net_{number}": training | {"training": training["training"] | {"seed": number}}
        for number in range(MODELS)
    }
    tests = {
        f"fgsm_{number}": {
            "kind": "adversarial",
            "attack": "fgsm",
            "conditions": {f"linf {number}": {"eps": number / 1000}},
        }
        for number in range(1, ATTACKS + 1)
    }
    study = yaml.safe_load(Path("config/demo.yaml").read_text())
    study |= {"study": "large", "models": list(models), "baseline": "net_0"}
    del study["searched_models"]  # of the demo's own models
    study["tests"] = [test for test in study["tests"] if "searched" not in test] + list(tests)
    study["catalogue"] = {"models": models, "tests": tests}
    path = folder / "large.yaml"
    path.write_text(yaml.safe_dump(study))
    return path


def processor_seconds() -> float:
    """Return the processor's time of all processes that have ended so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def dry_run(study: Path) -> tuple[int, float]:
    """Return the number of jobs of a study and the seconds that a dry run takes."""
    command = [sys.executable, "-m", "snakemake", "--configfile", str(study), "--dry-run"]
    begun = time.perf_counter()
    result = subprocess.run([*command, "--quiet", "rules"], capture_output=True, text=True)
    seconds = time.perf_counter() - begun
    found = re.search(r"^total +(\d+)$", result.stdout + result.stderr, re.MULTILINE)
    if result.returncode or not found:
        raise SystemExit(result.stderr[-2000:])
    return int(found[1]), seconds


def overhead(jobs: int) -> float:
    """Return the seconds of a job that does nothing but what every job of a rule does."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "workflow_scripts").symlink_to(Path("workflow_scripts").resolve())
        (folder / "robusteval").symlink_to(Path("robusteval").resolve())
        (folder / "config").symlink_to(Path("config").resolve())
        (folder / "nothing.py").write_text(
            "import sys\nsys.path.insert(0, '.')\n"
            "from pathlib import Path\n"
            "from workflow_scripts._job import job\n"
            "from workflow_scripts._tables import write_table\n"
            "with job(snakemake):\n"
            "    write_table(snakemake.output[0], [{'n': 1}], ['n'])\n"
        )
        (folder / "study.yaml").write_text("study: none\nseed: 1\n")
        (folder / "Snakefile").write_text(
            f'rule all:\n    input: expand("tables/{{i}}.csv", i=range({jobs}))\n'
            'rule one:\n    output: "tables/{i}.csv"\n    log: "logs/{i}.log"\n'
            '    script: "nothing.py"\n'
        )
        seconds = {}
        for count in (1, jobs):
            targets = [f"tables/{i}.csv" for i in range(count)]
            command = [sys.executable, "-m", "snakemake", "--cores", "1", "--quiet", "all"]
            command += ["--configfile", "study.yaml", "--forceall", "--", *targets]
            begun = time.perf_counter()
            subprocess.run(command, cwd=folder, check=True, capture_output=True)
            seconds[count] = time.perf_counter() - begun
    return (seconds[jobs] - seconds[1]) / (jobs - 1)


def main() -> int:
    """Print both figures beside their bars; return 1 if one is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=10, help="that do nothing, one after another")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        count, seconds = dry_run(large_study(Path(name)))
    assert count >= JOBS, count
    planned = processor_seconds()
    figures = {
        "dry run of 8,000 jobs, s": seconds * JOBS / count,
        "overhead of a job, s": overhead(options.jobs),
    }
    ran = processor_seconds() - planned
    print(f"{count:,} jobs planned in {seconds:.1f} s")
    print(
        f"processor's time of the dry run {planned:.1f} s, of {options.jobs + 1} jobs {ran:.1f} s"
    )
    for name, bar in BARS.items():
        print(f"{name}: {figures[name]:.2f}, at most {bar:g} expected")
    return int(any(figures[name] > bar for name, bar in BARS.items()))


if __name__ == "__main__":
    sys.exit(main())
