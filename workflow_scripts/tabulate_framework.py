"""Tabulate every metric of the framework for every model, raw and on one scale."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from workflow_scripts._framework_metrics import METRICS, Tables, unified, value_of
from workflow_scripts._spread import significant
from workflow_scripts._tables import write_table

UNIFIED = "unified_0_to_1_higher_better"
COLUMNS = ["model", "view", "group", "metric", "n", "value", "value_is", UNIFIED, "unified_is"]
COLUMNS += ["status"]


def rows(
    tables: Tables, models: list[str], architectures: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    """Yield a row for each model and metric; one without a value says why."""
    found = [
        {model: value_of(metric, tables.get(metric.table), model) for model in models}
        for metric in METRICS
    ]
    for model in models:
        for metric, of_models in zip(METRICS, found, strict=True):
            values = {m: v for m, (v, _, _) in of_models.items()}
            value, n, status = of_models[model]
            row = {"model": model, "view": metric.view, "group": metric.group}
            row |= {"metric": metric.name, "value_is": metric.better, "unified_is": metric.scale}
            if status != "ok":
                yield {**row, "n": 0, "status": status}
                continue
            kin = [v for m, v in values.items() if architectures[m] == architectures[model]]
            on_scale, why = unified(metric, value, values.values(), kin)
            yield {
                **row,
                "n": n,
                "value": significant(value),
                UNIFIED: round(on_scale, 4),
                "status": "ok" if why == "ok" else f"not on the scale: {why}",
            }


def tabulate_framework(
    tables: list[str], models: list[str], architectures: Mapping[str, str], path: str
) -> None:
    """Write the table; ``tables`` are the files that the study has."""
    read = {Path(p).stem: pd.read_csv(p, keep_default_na=True) for p in tables}
    write_table(path, rows(read, models, architectures), COLUMNS)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_framework(
            list(snakemake.input.tables),
            snakemake.params.models,
            snakemake.params.architectures,
            snakemake.output.table,
        )
