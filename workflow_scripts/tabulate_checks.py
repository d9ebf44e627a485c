"""Tabulate what the checks of each model found."""

from collections.abc import Iterator
from typing import Any

from robusteval.files import read_json
from workflow_scripts._tables import write_table

COLUMNS = ["model", "check", "verdict", "found", "why_it_matters", "n"]


def rows(checked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a row a check of one model."""
    for finding in checked["findings"]:
        yield {
            "model": checked["model"],
            "check": finding["check"],
            "verdict": finding["verdict"],
            "found": finding["found"],
            "why_it_matters": finding["why"],
            "n": checked["n"],
        }


def tabulate_checks(findings: list[str], path: str) -> None:
    """Write the table, models in the order of the files."""
    write_table(path, (row for file in findings for row in rows(read_json(file))), COLUMNS)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_checks(list(snakemake.input.findings), snakemake.output.table)
