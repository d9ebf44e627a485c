"""Write a study's AUROC against unknown images in the format of OpenOOD's result tables."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from robusteval.files import replacing
from robusteval.published.exports.openood import Result, openood
from robusteval.records import OK
from workflow_scripts.tabulate_accuracy import VALUE

AUROC = "auroc_pct_unknown_positive_higher_better"


def export_openood(
    detection: str,
    accuracy: str,
    kinds: Mapping[str, str],
    models: Mapping[str, Mapping[str, Any]],
    output: str,
) -> None:
    """Write a line for each model and score, from two tables of a study.

    ``kinds`` are those of the tests: novel sets are near, unrecognisable ones far. Broken cells are
    left out.
    """
    table = pd.read_csv(detection)
    own = pd.read_csv(accuracy)
    own = own[(own["status"] == OK) & (own["test"].map(kinds) == "clean")]
    right = dict(zip(own["model"], own[VALUE], strict=True))
    results = []
    for (model, score), rows in table[table["status"] == OK].groupby(
        ["model", "score"], sort=False
    ):
        sets: dict[str, dict[str, float]] = {"novel": {}, "unrecognisable": {}}
        for test, name, value in zip(rows["test"], rows["unknown"], rows[AUROC], strict=True):
            sets[kinds[test]][name] = float(value)
        arguments = models[model].get("arguments", {})
        architecture = str(arguments.get("name", models[model]["builder"]))
        found = right.get(model)
        results.append(Result(model, architecture, str(score), *sets.values(), found))
    with replacing(output) as temporary:
        temporary.write_text(openood(results))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        export_openood(
            snakemake.input.detection,
            snakemake.input.accuracy,
            snakemake.params.kinds,
            snakemake.params.models,
            snakemake.output.table,
        )
