"""Tabulate the ranks of the models under each kind of data, and how far the orders agree."""

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pandas as pd

from robusteval.metrics.kendall_tau import kendall_tau
from robusteval.records import OK
from workflow_scripts._dar import BESIDE, VALUE
from workflow_scripts._tables import write_table

RANKS = ["model", "kind", "n", VALUE, "rank_1_is_best", "models", "status"]
TAU = "kendall_tau_b_1_same_order"
AGREEMENT = ["kind", "other_kind", "n_models", TAU, "status"]


def ranks(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield a row for each model and kind; models of one DAR, as printed, share the mean rank."""
    for _, own in frame.groupby("kind", sort=False):
        usable = own[own["status"] == OK]
        rank = usable[VALUE].rank(ascending=False, method="average")
        for index, row in own.iterrows():
            about = {"model": row["model"], "kind": row["kind"], "status": row["status"]}
            about |= {"n": row["n"], "models": len(usable)}
            if index in rank.index:
                about |= {VALUE: row[VALUE], "rank_1_is_best": rank[index]}
            yield about


def agreement(frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield Kendall's tau-b of each pair of kinds, over the models that have both."""
    usable = frame[frame["status"] == OK]
    table = usable.pivot(index="model", columns="kind", values=VALUE)
    for kind, other in combinations(frame["kind"].unique(), 2):
        row = {"kind": kind, "other_kind": other}
        if not {kind, other} <= set(table):
            yield {**row, "n_models": 0, "status": "no model has both"}
            continue
        both = table[[kind, other]].dropna()
        row["n_models"] = len(both)
        try:
            tau = kendall_tau(both[kind].to_numpy(), both[other].to_numpy())
        except ValueError as error:
            yield {**row, "status": str(error)}
            continue
        yield {**row, TAU: round(tau, 4), "status": OK}


def tabulate_kind_ranking(path: str, outputs: dict[str, str]) -> None:
    """Write both tables, of the five kinds and their mean, which all models have."""
    frame = pd.read_csv(path)
    frame = frame[frame["kind"] != BESIDE]
    write_table(outputs["ranks"], ranks(frame), RANKS)
    write_table(outputs["agreement"], agreement(frame), AGREEMENT)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_kind_ranking(snakemake.input.table, dict(snakemake.output.items()))
