"""Tabulate laws: distortion against accuracy over models, and what family and depth add to it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robusteval.laws.depth_effect import depth_effect
from robusteval.laws.family_effect import family_effect
from robusteval.laws.log_linear import FEWEST, log_error, log_linear
from robusteval.laws.log_linear_intervals import log_linear_intervals
from robusteval.laws.pareto_frontier import pareto_frontier
from robusteval.records import OK
from robusteval.seeds import generator
from workflow_scripts._law_points import MEAN, POINT, SCORE, clever_points, points
from workflow_scripts._populations import SOURCE
from workflow_scripts._tables import write_table

ALL, FRONTIER = "all", "Pareto frontier"
NUMBERS = ("a", "b", "r_squared")
LAWS = [*POINT, "models", "n"]
LAWS += [c for name in NUMBERS for c in (name, f"{name}_low95", f"{name}_high95")]
LAWS += ["resamples", "members", "left_out", "status"]
POINTS = [*POINT, "model", "family", "n", "accuracy_pct", "success_pct", "distortion"]
POINTS += ["on_frontier", "status"]
EFFECTS = [*POINT, "effect", "family", "n", "value"]


def with_frontier(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the points with ``on_frontier``, which is missing where a point is not ok."""
    frame = frame.assign(on_frontier=pd.Series(pd.NA, frame.index, "boolean"))
    for _, part in frame[frame["status"] == OK].groupby(POINT, sort=False):
        frame.loc[part.index, "on_frontier"] = pareto_frontier(*_numbers(part))
    return frame


def laws(
    frame: pd.DataFrame, *, without: Sequence[str], seed: int, resamples: int
) -> Iterator[dict[str, Any]]:
    """Yield a row for each attack condition, population, norm, statistic and set of models.

    distortion = a + b ln(1 - accuracy): fitted to all models, to those on the Pareto frontier of
    accuracy and distortion, and without the families ``without``.
    """
    fewer = f"without {', '.join(without)}"
    for key, part in frame.groupby(POINT, sort=False):
        ok = part[part["status"] == OK]
        missing = part.loc[part["status"] != OK, ["model", "status"]]
        row = dict(zip(POINT, key, strict=True))
        row["left_out"] = "; ".join(f"{m}: {s}" for m, s in missing.itertuples(index=False))
        sets = {ALL: ok, FRONTIER: ok[ok["on_frontier"].astype(bool)]}
        if part["family"].isin(without).any():
            sets[fewer] = ok[~ok["family"].isin(without)]
        for models, members in sets.items():
            row |= {"models": models, "n": len(members), "members": ", ".join(members["model"])}
            try:
                fit = log_linear(*_numbers(members))
            except ValueError as error:
                yield {**row, "status": str(error)}
                continue
            # Of the frontier, all models are drawn: which of them are on it is chance, too.
            ends = log_linear_intervals(
                *_numbers(ok if models == FRONTIER else members),
                generator=generator(seed, "laws", *map(str, key), models),
                frontier=models == FRONTIER,
                resamples=resamples,
            )
            for name in NUMBERS:
                values = (getattr(fit, name), *getattr(ends, name))
                columns = (name, f"{name}_low95", f"{name}_high95")
                row |= dict(zip(columns, map(_short, values), strict=True))
            yield {**row, "resamples": ends.used, "status": OK}


def effects(frame: pd.DataFrame, depths: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """Yield what family and depth add to the law of all models, a row a summary.

    Over each model's own images and means of successes or scores; models without a family are left
    out, and norms that do not vary, as that of the budget does not.
    """
    chosen = (frame["population"] == SOURCE) & frame["statistic"].isin((MEAN, SCORE))
    for key, part in frame[chosen & (frame["status"] == OK)].groupby(POINT, sort=False):
        known = part[part["family"].notna()]
        if known["distortion"].nunique() < 2 or known["accuracy_pct"].nunique() < FEWEST:
            continue
        row = dict(zip(POINT, key, strict=True))
        for found in _of_families(known):
            yield {**row, **found}
        deep = known[known["model"].isin(depths)]
        for found in _of_depths(deep, [depths[model] for model in deep["model"]]):
            yield {**row, **found}


def _of_families(known: pd.DataFrame) -> Iterator[dict[str, Any]]:
    accuracy, distortion = _numbers(known)
    fit = log_linear(accuracy, distortion)
    residual = distortion - fit.a - fit.b * log_error(accuracy)
    found = family_effect(residual, known["family"].tolist())
    n = len(known)
    shares = {"": found.between, ", adjusted for their number": found.adjusted}
    for how, share in shares.items():
        effect = f"share of the residuals' variance between families{how}"
        yield {"effect": effect, "n": n, "value": _short(share)}
    sizes = known["family"].value_counts()
    for name, mean in found.means.items():
        effect = "mean residual from the law"
        yield {"effect": effect, "family": name, "n": int(sizes[name]), "value": _short(mean)}


def _of_depths(deep: pd.DataFrame, depth: Sequence[int]) -> Iterator[dict[str, Any]]:
    distortion = deep["distortion"].to_numpy(np.float64)
    for name, found in depth_effect(distortion, depth, deep["family"].tolist()).items():
        pairs = {"family": name, "n": found.pairs}
        yield {
            **pairs,
            "effect": "pairs whose deeper model is moved further",
            "value": found.larger,
        }
        ratio = _short(found.ratio)
        yield {**pairs, "effect": "distortion of the deepest by the shallowest", "value": ratio}


def _numbers(part: pd.DataFrame) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return accuracies in [0, 1] and distortions (N,)."""
    percent, distortion = (part[c].to_numpy(np.float64) for c in ("accuracy_pct", "distortion"))
    return percent / 100, distortion


def _short(value: float) -> float:
    """Return a number with four significant digits."""
    return float(f"{value:.4g}")


def tabulate_laws(
    accuracy: str,
    attacks: str | None,
    clever: str | None,
    *,
    families: Mapping[str, str],
    depths: Mapping[str, int],
    without: Sequence[str],
    seed: int,
    resamples: int,
    paths: Mapping[str, str],
) -> None:
    """Write the tables ``laws``, ``points`` and ``effects`` of ``paths``.

    ``attacks`` or ``clever`` is missing where the study has none.
    """
    before = pd.read_csv(accuracy)
    found = list(points(before, pd.read_csv(attacks), families)) if attacks else []
    found += clever_points(before, pd.read_csv(clever), families) if clever else []
    frame = with_frontier(pd.DataFrame(found, columns=[c for c in POINTS if c != "on_frontier"]))
    fits = laws(frame, without=without, seed=seed, resamples=resamples)
    write_table(paths["laws"], fits, LAWS)
    write_table(paths["points"], frame.to_dict("records"), POINTS)
    write_table(paths["effects"], effects(frame, depths), EFFECTS)


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        tabulate_laws(
            snakemake.input.accuracy,
            snakemake.input.attacks or None,
            snakemake.input.clever or None,
            families=snakemake.params.families,
            depths=snakemake.params.depths,
            without=snakemake.params.without,
            seed=snakemake.params.seed,
            resamples=snakemake.params.resamples,
            paths=dict(snakemake.output.items()),
        )
