"""The end of a run says how published numbers came out."""

import csv
import re


def test_a_run_ends_with_the_verdicts(fresh):
    """The recomputation needs no image, so this run takes seconds."""
    text = fresh.run("published")
    table = "results/published/tables/recomputed.csv"
    line = re.search(
        rf"^published numbers: (\d+) PASS, (\d+) EXPLAINED, 0 FAIL \({table}\)$", text, re.M
    )
    with (fresh.folder / table).open(newline="") as file:
        assert sum(map(int, line.groups())) == len(list(csv.DictReader(file)))
    assert "published numbers" not in fresh.run("published", "--dry-run")
