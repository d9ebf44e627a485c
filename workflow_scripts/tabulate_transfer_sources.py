"""Tabulate transfer sources: how widely the images made against each model transfer."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from robusteval.laws.transfer_breadth import transfer_breadth
from robusteval.records import OK
from workflow_scripts._tables import write_table
from workflow_scripts.tabulate_transfer import TOP, VALUE

KEY = ["attack", "condition", "goal", "population"]
TARGETS = {
    "others": "all other models",
    "own_family": "the source's family",
    "foreign": "other families",
}
RATES = {"wrong": VALUE, **{f"target in top {k}": name for k, name in TOP.items()}}
MEAN = "mean_pct_higher_transfers_more"
COLUMNS = [*KEY, "source", "family", "rate", "targets", "n", MEAN, "status"]


def rows(transfer: pd.DataFrame, families: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each attack condition, population, source, rate and set of targets.

    ``n`` is the number of targets. A mean over targets of which one is not known is left out, and
    its status says which; models without a family have no rows by family.
    """
    models = list(dict.fromkeys(transfer["source"]))
    family = [families.get(model) or f"family of {model}" for model in models]
    for key, part in transfer.groupby(KEY, sort=False):
        for rate, column in RATES.items():
            ok = part[part["status"] == OK]
            if rate != "wrong" and not ok[column].notna().any():
                continue
            matrix = part.pivot(index="source", columns="target", values=column)
            matrix = matrix.reindex(index=models, columns=models)
            found = transfer_breadth(matrix.to_numpy(np.float64), family)
            for i, source in enumerate(models):
                row = dict(zip(KEY, key, strict=True))
                row |= {"source": source, "family": families.get(source), "rate": rate}
                for name, targets in TARGETS.items():
                    chosen = _targets(models, family, i, name)
                    if not chosen or (name != "others" and source not in families):
                        continue
                    row |= {"targets": targets, "n": len(chosen)}
                    mean = float(getattr(found, name)[i])
                    if np.isnan(mean):
                        yield {**row, "status": _unknown(part, source, chosen)}
                    else:
                        yield {**row, MEAN: round(mean, 2), "status": OK}


def _targets(models: list[str], family: list[str], i: int, name: str) -> list[str]:
    """Return the models that a mean of source ``i`` is over."""
    others = [
        (m, f == family[i]) for j, (m, f) in enumerate(zip(models, family, strict=True)) if j != i
    ]
    wanted = {"others": (True, False), "own_family": (True,), "foreign": (False,)}[name]
    return [model for model, same in others if same in wanted]


def _unknown(part: pd.DataFrame, source: str, targets: list[str]) -> str:
    """Return why a mean does not exist."""
    cells = part[(part["source"] == source) & part["target"].isin(targets)]
    bad = cells[cells["status"] != OK]
    if len(bad):
        return str(bad["status"].iloc[0])
    empty = cells[cells["n"] == 0]
    return f"no image for the target {empty['target'].iloc[0]}" if len(empty) else "not measured"


def tabulate_transfer_sources(transfer: str, families: Mapping[str, str], path: str) -> None:
    """Write the table."""
    write_table(path, rows(pd.read_csv(transfer), families), COLUMNS)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_transfer_sources(
            snakemake.input.transfer, snakemake.params.families, snakemake.output.table
        )
