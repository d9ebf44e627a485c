"""How long jobs take to start: what a script's job imports, in a process of its own.

Bars: a table or a figure under 2 s, a job with torch but without timm under 2.5 s, a dry run of the
demo at most 10 s. Medians of the rounds.

    python benchmarks/start_up.py
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROUNDS = 5
BARS = {
    "tabulate_accuracy": 2.0,
    "tabulate_dar": 2.0,
    "tabulate_detection": 2.0,
    "draw_accuracy": 2.0,
    "draw_examples": 2.0,
    "corrupt_images": 2.0,
    "evaluate": 2.5,
    "craft": 2.5,
    "train_model": 2.5,
}


def seconds(command: list[str]) -> float:
    """Return the median wall time of a command."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main() -> None:
    for script, bar in BARS.items():
        # What Snakemake puts before a script is its own module and the script's.
        code = f"import snakemake.script, workflow_scripts._job, workflow_scripts.{script}"
        print(f"{script}: {seconds([sys.executable, '-c', code]):.2f} s (bar {bar} s)")
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--quiet", "all"]
    print(f"dry run of the demo: {seconds([*command, '--forceall']):.2f} s (bar 10 s)")


if __name__ == "__main__":
    main()
