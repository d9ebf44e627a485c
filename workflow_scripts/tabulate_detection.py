"""Tabulate how well a model's confidence tells known from unknown classes."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from robusteval.metrics.aupr import aupr
from robusteval.metrics.auroc import auroc
from robusteval.metrics.fpr_at_tpr import fpr_at_tpr
from robusteval.metrics.oscr import oscr
from robusteval.pairs import pairs_interval
from robusteval.records import OK, Records
from workflow_scripts._scores import Cells, bare, clean_of, parts, read_models, with_score
from workflow_scripts._tables import left_out, percent, rate_with_interval, write_table

AUROC = "auroc_pct_unknown_positive_higher_better"
AUPR_KNOWN = "aupr_pct_known_positive_higher_better"
AUPR_UNKNOWN = "aupr_pct_unknown_positive_higher_better"
KNOWN_POSITIVE = "fpr_pct_at_95_tpr_known_positive_lower_better"
UNKNOWN_POSITIVE = "fpr_pct_at_95_tpr_unknown_positive_lower_better"
OSCR = "oscr_pct_higher_better"
VALUES = [AUROC, AUPR_KNOWN, AUPR_UNKNOWN, KNOWN_POSITIVE, UNKNOWN_POSITIVE, OSCR]
COLUMNS = ["model", "test", "unknown", "distance", "known", "score", "n_known", "n_unknown"]
COLUMNS += [AUROC, f"{AUROC}_delong95_low", f"{AUROC}_delong95_high", AUPR_KNOWN, AUPR_UNKNOWN]
for rate in (KNOWN_POSITIVE, UNKNOWN_POSITIVE):
    COLUMNS += [rate, f"{rate}_wilson95_low", f"{rate}_wilson95_high"]
COLUMNS += [OSCR, f"{OSCR}_delong95_low", f"{OSCR}_delong95_high", "status"]
GROUPS = ["model", "known", "score", "group", "sets", "n_unknown", *VALUES, "status"]
CLEAN, SPECTRUM = "clean", "clean and corrupt"


def known_cells(cells: Cells, kinds: dict[str, str], known: str) -> list[Records]:
    """Return the cells of known classes: the clean one, or this and all corrupted ones.

    The second is what is called full spectrum, where a corrupted image still shows its class.
    """
    used = [clean_of(cells, kinds)]
    if known == SPECTRUM:
        used += [records for test, records in cells.items() if kinds[test] == "corrupt"]
    return used


def rows(
    model: str,
    cells: Cells,
    kinds: dict[str, str],
    scores: list[str],
    distances: dict[str, str],
    known: str = CLEAN,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each score and unknown image set, against all ``known`` images."""
    base = known_cells(cells, kinds, known)
    images = pd.concat([records.frame for records in base], ignore_index=True)
    for test, records in cells.items():
        if kinds[test] not in ("novel", "unrecognisable"):
            continue
        for score in scores:
            row = {"model": model, "test": test, "known": known, "score": score}
            used = [with_score(cell, score).status for cell in (records, *base)]
            if bad := [status for status in used if status != OK]:
                yield {**row, "n_known": 0, "n_unknown": 0, "status": bad[0]}
                continue
            for name, _, part in parts(records):
                where = {"unknown": name, "distance": distances.get(name)}
                yield row | where | compared(images, part, score) | {"status": OK}


def compared(known: pd.DataFrame, unknown: pd.DataFrame, score: str) -> dict[str, Any]:
    """Return the numbers of one unknown image set and their intervals, as columns."""
    inside, outside = known[score].to_numpy(), unknown[score].to_numpy()
    correct = (known["prediction"] == known["label"]).to_numpy()
    accepted = fpr_at_tpr(inside, outside, positive="known")
    flagged = fpr_at_tpr(inside, outside, positive="unknown")
    area = pairs_interval(inside, outside)
    open_area = pairs_interval(inside, outside, counted=correct)
    return {
        "n_known": len(inside),
        "n_unknown": len(outside),
        AUROC: percent(auroc(inside, outside)),
        **_ends(AUROC, *area),
        AUPR_KNOWN: percent(aupr(inside, outside, positive="known")),
        AUPR_UNKNOWN: percent(aupr(inside, outside, positive="unknown")),
        **_with_interval(accepted, len(outside), KNOWN_POSITIVE),
        **_with_interval(flagged, len(inside), UNKNOWN_POSITIVE),
        OSCR: percent(oscr(inside, correct, outside)),
        **_ends(OSCR, *open_area),
    }


def groups(rows: list[dict[str, Any]], kinds: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield a row for each model, known images, score and group of unknown sets: unweighted means.

    Groups are the kinds, and near and far where the catalogue says so. One with a set that is
    missing has no value.
    """
    frame = pd.DataFrame(rows)
    if frame.empty:
        return
    for (model, known, score), own in frame.groupby(["model", "known", "score"], sort=False):
        kind = own["test"].map(kinds)
        members = {name: own[kind == name] for name in ("novel", "unrecognisable")}
        if "distance" in own:
            members |= {name: own[own["distance"] == name] for name in ("near", "far")}
        for group, sets in members.items():
            row = {"model": model, "known": known, "score": score, "group": group}
            if sets.empty:
                continue
            row |= {"sets": len(sets), "n_unknown": int(sets["n_unknown"].sum())}
            bad = sets.loc[sets["status"] != OK, "status"]
            if len(bad):
                yield {**row, "n_unknown": 0, "status": bad.iloc[0]}
                continue
            yield {**row, **{v: round(float(sets[v].mean()), 2) for v in VALUES}, "status": OK}


def _with_interval(rate: float, n: int, name: str) -> dict[str, float]:
    """Return a rate of the n images of the negative class, and its interval at this threshold."""
    value, low, high = rate_with_interval(rate, n, name).values()
    return {name: value, f"{name}_wilson95_low": low, f"{name}_wilson95_high": high}


def _ends(name: str, low: float, high: float) -> dict[str, float]:
    return {f"{name}_delong95_low": percent(low), f"{name}_delong95_high": percent(high)}


def tabulate_detection(
    paths: list[str],
    kinds: dict[str, str],
    scores: list[str],
    distances: dict[str, str],
    outputs: dict[str, str],
) -> None:
    """Write the numbers of each unknown set, against clean and against all known images, and means.

    Without corrupted images there is nothing but clean ones, and no row of the full spectrum.
    """
    plain: list[dict[str, Any]] = []
    spectrum: list[dict[str, Any]] = []
    missing: list[Records] = []
    for model, cells in read_models(paths):
        missing += [bare(records) for records in cells.values()]
        plain += rows(model, cells, kinds, scores, distances)
        if "corrupt" in (kinds[test] for test in cells):
            spectrum += rows(model, cells, kinds, scores, distances, SPECTRUM)
    said = left_out(missing)
    write_table(outputs["sets"], plain, COLUMNS, left_out=said)
    write_table(outputs["spectrum"], spectrum, COLUMNS, left_out=said)
    write_table(outputs["groups"], groups(plain + spectrum, kinds), GROUPS, left_out=said)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_detection(
            list(snakemake.input.scored),
            snakemake.params.kinds,
            snakemake.params.scores,
            snakemake.params.distances,
            dict(snakemake.output.items()),
        )
