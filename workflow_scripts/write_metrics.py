"""Write the few numbers of a study that versions of it are compared by (`dvc metrics diff`)."""

import csv
from pathlib import Path

from robusteval.files import write_json
from robusteval.records import OK

Numbers = dict[str, dict[str, float]]


def numbers(table: Path, row: str, value: str) -> Numbers:
    """Return {model: {what the column ``row`` says: ``value``}} of a table's complete rows."""
    found: Numbers = {}
    with table.open(newline="") as file:
        for line in csv.DictReader(file):
            if line["status"] == OK and line[value]:
                found.setdefault(line["model"], {})[line[row]] = float(line[value])
    return found


def write_metrics(accuracy: Path, dar: Path, target: Path) -> None:
    """Write accuracy by test and DAR by kind, in percent, for each model, as JSON."""
    column = "{}_pct_higher_better"
    content = {"accuracy": (accuracy, "test"), "dar": (dar, "kind")}
    write_json(
        target,
        {
            column.format(name): numbers(table, row, column.format(name))
            for name, (table, row) in content.items()
        },
    )


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        write_metrics(
            Path(snakemake.input.accuracy),
            Path(snakemake.input.dar),
            Path(snakemake.output.metrics),
        )
