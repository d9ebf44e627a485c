"""Tests read published values from their tables: a value in a test would hide a change of them."""

import re
from pathlib import Path

from robusteval.published.rows import read_rows

UNIT = Path(__file__).parents[1]
LEAST = 4  # digits; shorter ones stand in tests by chance


def test_no_value_of_the_projects_own_tables_stands_in_a_test(published):
    values = {
        row.printed.lstrip("0") for path in published.glob("*.csv") for row in read_rows(path)
    }
    values = {value for value in values if len(value.replace(".", "").strip("0")) >= LEAST}
    assert len(values) > 200
    files = [*UNIT.glob("published/*.py"), *UNIT.glob("metrics/*.py")]
    files += UNIT.glob("workflow_scripts/*published*.py")
    found = [
        (path.name, number)
        for path in files
        for number in re.findall(r"(?<![\d.])\d*\.\d+", path.read_text())
        if number.lstrip("0") in values
    ]
    assert found == []
