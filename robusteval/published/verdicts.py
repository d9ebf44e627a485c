"""How a comparison with published numbers came out, in a line for the end of a run."""

import csv
from collections import Counter
from pathlib import Path

from robusteval.published._comparison import EXPLAINED, FAIL, PASS


def verdicts(path: str | Path) -> str:
    """Return a line that counts the verdicts in a table of comparisons; "" if there is no table."""
    if not Path(path).is_file():
        return ""
    with Path(path).open(newline="") as file:
        counts = Counter(row["verdict"] for row in csv.DictReader(file))
    said = ", ".join(f"{counts[verdict]} {verdict}" for verdict in (PASS, EXPLAINED, FAIL))
    return f"published numbers: {said if counts else 'none of what was measured'} ({path})\n"
