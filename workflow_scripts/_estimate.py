"""What a study will cost, as text, before anything runs."""

import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from robusteval.costs import NOTHING, Cost
from workflow_scripts._schema import StudyError, known, load_yaml, short
from workflow_scripts._study import check_study
from workflow_scripts._study_costs import PARTS, UNCOUNTED, Costs, costs_of, disk_of, total

LEFT_OUT = (
    "left out: checks of models and round trips that try a trained generator (some hundred images "
    "each), Square where an attack met a gradient of 0, searches for images to be trained on"
)


def estimate(
    study_file: Path, config: Path, *, rates: Sequence[str] = (), jobs: bool = True
) -> str:
    """Return as text the jobs, passes, GPU hours and disk of a study.

    ``rates`` are images a second of a forward pass, "1000" for all networks or "cnn=1000" for one;
    without any there are no hours. A backward pass of an attack or a probe, which goes to the image
    only, counts as one forward pass, one of a training as two.

    Raises:
        StudyError: the study has a mistake, or a rate is none.
    """
    study = load_yaml(study_file)
    catalogue = check_study(study, config, [str(study_file)])
    costs = costs_of(study, catalogue)
    speeds = _speeds(rates, list(costs))
    lines = [f"{short(study_file)}, before anything runs"]
    if jobs:
        counts = _jobs(study_file)
        named = ", ".join(f"{rule} {n:,}" for rule, n in counts.items())
        lines += [f"jobs: {sum(counts.values()):,} ({named})"]
    lines += ["passes, an image each:", *_table(costs)]
    lines += [f"not counted by records later: {', '.join(UNCOUNTED)}", LEFT_OUT]
    if speeds:
        hours = _hours(costs, speeds)
        lines.append(f"GPU hours: {hours[0]:.3g} as a rule, {hours[1]:.3g} at most")
    else:
        lines.append("GPU hours: state images a second with --rate 1000, or --rate MODEL=1000")
    size = _size(disk_of(study, catalogue))
    lines.append(f"disk: {size} at most, beside figures, raw files, weights and features")
    return "\n".join(lines)


def _jobs(study_file: Path) -> dict[str, int]:
    """Return how many jobs of each rule the graph has from nothing, as a dry run counts them."""
    command = [sys.executable, "-m", "snakemake", "--configfile", str(study_file)]
    command += ["--dry-run", "--forceall", "--quiet", "rules"]
    result = subprocess.run(command, capture_output=True, text=True)
    text = result.stdout + result.stderr
    if result.returncode or "Job stats:" not in text:
        raise StudyError(
            f"{short(study_file)}: the dry run failed: {text.strip().splitlines()[-1]}"
        )
    table = text.split("Job stats:")[1].split("\n\n")[0]
    found = {n: int(c) for n, c in re.findall(r"^(\w+) +(\d+)$", table, re.MULTILINE)}
    return {rule: n for rule, n in found.items() if rule not in ("total", "all")}


def _speeds(rates: Sequence[str], networks: Sequence[str]) -> dict[str, float]:
    """Return images a second by network."""
    speeds: dict[str, float] = {}
    for rate in rates:
        network, _, value = rate.rpartition("=")
        if network:
            known("--rate", rate, [network], networks)
        if not re.fullmatch(r"\d+(\.\d+)?", value) or not float(value):
            raise StudyError(f"--rate {rate}: images a second, as 1000 or {networks[0]}=1000")
        for name in [network] if network else [n for n in networks if n not in speeds]:
            speeds[name] = float(value)
    if speeds and (missing := [network for network in networks if network not in speeds]):
        raise StudyError(f"--rate: none for {', '.join(missing)}; one number gives all the same")
    return speeds


def _hours(costs: Costs, speeds: Mapping[str, float]) -> tuple[float, float]:
    """Return the hours of all networks, one after the other, as a rule and at most."""
    usual = most = 0.0
    for network, parts in costs.items():
        for part, cost in parts.items():
            weight = 2 if part == "training" else 1
            usual += (cost.forwards + weight * cost.backwards) / speeds[network]
            most += (cost.forwards_most + weight * cost.backwards_most) / speeds[network]
    return usual / 3600, most / 3600


def _table(costs: Costs) -> Iterator[str]:
    """Yield lines of passes by part, forward and backward, as a rule and at most."""
    by_part: dict[str, Cost] = defaultdict(lambda: NOTHING)
    for parts in costs.values():
        for part, cost in parts.items():
            by_part[part] = by_part[part].plus(cost)
    by_part["all"] = total(by_part[part] for part in PARTS)
    heads = ("", "forward", "at most", "backward", "at most")
    yield "".join(f"{head:>{10 if not i else 18}}" for i, head in enumerate(heads))
    for part in (*PARTS, "all"):
        cost = by_part[part]
        values = (cost.forwards, cost.forwards_most, cost.backwards, cost.backwards_most)
        yield f"{part:>10}" + "".join(f"{round(value):>18,}" for value in values)


def _size(size: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} TB"
