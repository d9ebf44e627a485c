"""Tabulate the coverage of neurons, by model and image set."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from robusteval.records import OK, Records, read_records
from workflow_scripts._tables import percent, write_table

SHARES = {
    "kmncov": "kmncov_pct_more_covered",
    "nbcov": "nbcov_pct_more_covered",
    "snacov": "snacov_pct_more_covered",
    "tkncov": "tkncov_pct_more_covered",
    "nc": "nc_pct_more_covered",
}
COLUMNS = ["model", "test", "condition", "severity", "n", "profiled_on", "profile_n", "layers"]
COLUMNS += ["neurons", "constant_neurons", "positions", "sections", *SHARES.values()]
COLUMNS += ["tknpat_patterns_more_covered", "status"]


def rows(cells: Mapping[str, Records]) -> Iterator[dict[str, Any]]:
    """Yield a row for each model, and image set by test, condition and severity."""
    for model, cell in cells.items():
        if cell.status != OK:
            yield {"model": model, "n": 0, "status": cell.status}
            continue
        profile, how = cell.settings["profile"], cell.settings["how"]
        row = {"model": model, "profiled_on": profile["images"], "profile_n": profile["n"]}
        row |= {"layers": len(profile["layers"]), "neurons": sum(profile["layers"].values())}
        row |= {"constant_neurons": profile["constant"], "sections": how["sections"]}
        row["positions"] = profile["how"].get("positions", "mean")
        for found in cell.frame.to_dict("records"):
            about = {key: found[key] for key in ("test", "condition", "severity", "n", "status")}
            if about["status"] == OK:
                about |= {column: percent(found[name]) for name, column in SHARES.items()}
                about["tknpat_patterns_more_covered"] = int(found["tknpat"])
            yield {**row, **about}


def tabulate_coverage(records: list[str], path: str) -> None:
    """Write the table."""
    write_table(path, rows({Path(p).stem: read_records(p) for p in records}), COLUMNS)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_coverage(list(snakemake.input.records), snakemake.output.table)
