"""Write a study's errors by corruption as a table of models x corruptions, one for each test."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from robusteval.files import replacing
from robusteval.published.exports.corruption_table import corruption_table
from robusteval.records import OK
from workflow_scripts.tabulate_corruption_error import VALUE

SINGLE = ("mnist_c",)  # families whose corruptions have one severity; the others have five


def export_corruption_table(errors: str, families: Mapping[str, str], folder: str) -> None:
    """Write ``folder``/{test}.csv for each of the ``families``, {test: family}.

    ``errors`` is the study's table by corruption and severity. A corruption without all of its
    severities is left out, and so are broken cells.
    """
    table = pd.read_csv(errors)
    table = table[table["status"] == OK]
    for test, family in families.items():
        rows = table[table["test"] == test]
        severities = 1 if family in SINGLE else 5
        models: dict[str, dict[str, float]] = {}
        for (model, corruption), cells in rows.groupby(["model", "corruption"], sort=False):
            if len(cells) == severities:
                models.setdefault(str(model), {})[str(corruption)] = float(cells[VALUE].mean())
        with replacing(Path(folder) / f"{test}.csv") as temporary:
            temporary.write_text(corruption_table(models, family))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        export_corruption_table(
            snakemake.input.errors, snakemake.params.families, snakemake.output.tables
        )
