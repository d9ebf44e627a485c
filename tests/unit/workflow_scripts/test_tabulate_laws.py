import math

import numpy as np
import pandas as pd
import pytest

from workflow_scripts import tabulate_accuracy, tabulate_attacks, tabulate_clever
from workflow_scripts._law_points import MEAN, SCORE, STATISTICS
from workflow_scripts._populations import COMMON, SOURCE
from workflow_scripts.tabulate_laws import ALL, EFFECTS, FRONTIER, LAWS, POINTS, tabulate_laws

MODELS = ["alexnet", "vgg16", "vgg19", "resnet50", "resnet101", "nasnet"]
FAMILIES = {"alexnet": "alexnet", "vgg16": "vgg", "vgg19": "vgg", "nasnet": "nasnet"}
FAMILIES |= {"resnet50": "resnet", "resnet101": "resnet"}
DEPTHS = {"vgg16": 16, "vgg19": 19, "resnet50": 50, "resnet101": 101}
ACCURACY = [50.0, 60.0, 70.0, 75.0, 80.0, 90.0]
# 3 + ln(1 - accuracy) of each model, but resnet50 0.5 below.
MOVED = [3 + math.log(1 - a / 100) - 0.5 * (m == 3) for m, a in enumerate(ACCURACY)]


def columns(statistic):
    return [STATISTICS[statistic].format(size) for size in tabulate_attacks.SIZES]


@pytest.fixture
def accuracy():
    clean = pd.DataFrame({"model": MODELS, "test": "clean", tabulate_accuracy.VALUE: ACCURACY})
    fgsm = clean.assign(test="fgsm", **{tabulate_accuracy.VALUE: 1.0})
    return pd.concat([clean, fgsm]).assign(status="ok")


@pytest.fixture
def attacks():
    rows = []
    for population in (SOURCE, COMMON):
        for model, moved in zip(MODELS, MOVED, strict=True):
            row = {"model": model, "attack": "cw", "condition": "kappa 0", "goal": "untargeted"}
            row |= {"population": population, "n": 100, "attacked_source_correct": 90}
            row |= {tabulate_attacks.VALUE: 99.0, "status": "ok"}
            row |= dict.fromkeys(columns(MEAN), moved)
            row |= dict.fromkeys(columns("median, failures infinite"), 0.25)
            rows.append(row)
    return pd.DataFrame(rows)


@pytest.fixture
def run(tmp_path):
    def tables(accuracy, attacks=None, clever=None, **options):
        sources = {"accuracy": accuracy, "attacks": attacks, "clever": clever}
        files = {name: tmp_path / f"{name}.csv" for name, f in sources.items() if f is not None}
        for name, file in files.items():
            sources[name].to_csv(file, index=False)
        paths = {name: str(tmp_path / f"{name}.csv") for name in ("laws", "points", "effects")}
        given = {"families": FAMILIES, "depths": DEPTHS, "without": ["alexnet", "vgg"]}
        given |= {"seed": 1, "resamples": 200, "paths": paths, **options}
        tabulate_laws(files["accuracy"], files.get("attacks"), files.get("clever"), **given)
        return {name: pd.read_csv(path) for name, path in paths.items()}

    return tables


def of(table, population=SOURCE, norm="l2", statistic=MEAN):
    chosen = (table["population"] == population) & (table["norm"] == norm)
    return table[chosen & (table["statistic"] == statistic)].reset_index(drop=True)


def test_a_law_for_each_set_of_models(run, accuracy, attacks):
    tables = run(accuracy, attacks)
    assert list(tables["laws"]) == LAWS and list(tables["points"]) == POINTS
    assert len(tables["laws"]) == 2 * len(tabulate_attacks.SIZES) * 2 * 3
    every, frontier, fewer = of(tables["laws"]).to_dict("records")
    x = np.log(1 - np.array(ACCURACY) / 100)
    slope, intercept = np.polyfit(x, MOVED, 1)
    # The table has four digits.
    assert (every["models"], every["n"]) == (ALL, 6)
    assert (every["a"], every["b"]) == pytest.approx((intercept, slope), rel=1e-3)
    assert every["r_squared"] == pytest.approx(np.corrcoef(x, MOVED)[0, 1] ** 2, rel=1e-3)
    # resnet50 is beaten by resnet101; the others keep to 3 + ln(1 - accuracy).
    assert (frontier["models"], frontier["n"]) == (FRONTIER, 5)
    assert "resnet50" not in frontier["members"]
    assert (frontier["a"], frontier["b"], frontier["r_squared"]) == (3, 1, 1)
    assert (fewer["models"], fewer["n"]) == ("without alexnet, vgg", 3)
    assert fewer["members"] == "resnet50, resnet101, nasnet"


def test_intervals_are_around_the_fit_and_the_same_again(run, accuracy, attacks):
    every = of(run(accuracy, attacks)["laws"]).iloc[0]
    assert every["b_low95"] < every["b"] < every["b_high95"]
    assert every["a_low95"] < every["a"] < every["a_high95"]
    assert 190 <= every["resamples"] <= 200
    again = of(run(accuracy, attacks)["laws"]).iloc[0]
    pd.testing.assert_series_equal(every, again)
    other = of(run(accuracy, attacks, seed=2)["laws"]).iloc[0]
    assert (other["b_low95"], other["b"]) != (every["b_low95"], every["b"])


def test_a_row_does_not_depend_on_the_others(run, accuracy, attacks):
    whole = of(run(accuracy, attacks)["laws"])
    part = of(run(accuracy, attacks[attacks["population"] == SOURCE])["laws"])
    pd.testing.assert_frame_equal(whole, part)


def test_points_say_who_is_on_the_frontier(run, accuracy, attacks):
    points = of(run(accuracy, attacks)["points"]).set_index("model")
    assert points["on_frontier"].to_dict() == {m: m != "resnet50" for m in MODELS}
    assert points.loc["vgg16", ["accuracy_pct", "success_pct", "n"]].tolist() == [60, 99, 90]
    assert points.loc["vgg16", "family"] == "vgg"


def test_models_that_are_no_point_are_named(run, accuracy, attacks):
    accuracy.loc[(accuracy["model"] == "nasnet"), tabulate_accuracy.VALUE] = 100.0
    attacks.loc[attacks["model"] == "vgg16", columns(MEAN)] = np.nan
    attacks.loc[attacks["model"] == "vgg19", columns("median, failures infinite")] = np.inf
    attacks = attacks[attacks["model"] != "alexnet"]
    broken = {"model": "alexnet", "attack": "cw", "n": 0, "status": "it says NaN"}
    attacks = pd.concat([attacks, pd.DataFrame([broken])])
    tables = run(accuracy, attacks)
    every = of(tables["laws"]).iloc[0]
    assert every["n"] == 3
    assert every["left_out"] == (
        "alexnet: it says NaN; vgg16: no success; nasnet: accuracy 100%: no logarithm"
    )
    median = of(tables["laws"], statistic="median, failures infinite").iloc[0]
    assert "vgg19: half of the attacks or more failed" in median["left_out"]
    points = of(tables["points"]).set_index("model")
    assert math.isnan(points.loc["alexnet", "distortion"])
    assert points["on_frontier"].isna().sum() == 3


def test_the_common_images_of_a_broken_model(run, accuracy, attacks):
    attacks.loc[attacks["population"] == COMMON, "status"] = "x: it says NaN"
    attacks.loc[attacks["population"] == COMMON, "attacked_source_correct"] = np.nan
    tables = run(accuracy, attacks)
    common = of(tables["laws"], COMMON)
    assert (common["n"] == 0).all()
    assert common["status"].iloc[0].startswith("0 models with 0 different accuracies")
    assert common["a"].isna().all()
    assert (of(tables["laws"])["status"] == "ok").all()


def test_what_family_and_depth_add(run, accuracy, attacks):
    table = run(accuracy, attacks)["effects"]
    assert list(table) == EFFECTS
    assert set(table["population"]) == {SOURCE} and set(table["statistic"]) == {MEAN}
    rows = of(table).set_index(["effect", "family"])["value"]
    depth = rows["pairs whose deeper model is moved further"]
    # vgg19 is more accurate than vgg16 and so moved less; resnet50 lies 0.5 below its law.
    assert depth.to_dict() == {"vgg": 0, "resnet": 1}
    ratio = rows["distortion of the deepest by the shallowest"]
    assert ratio["vgg"] == pytest.approx(MOVED[2] / MOVED[1], rel=1e-3)
    residual = rows["mean residual from the law"]
    assert residual.idxmin() == "resnet"
    # Residuals of a least-squares fit sum to 0; four digits each.
    sizes = pd.Series({"alexnet": 1, "vgg": 2, "resnet": 2, "nasnet": 1})
    assert (residual * sizes).sum() == pytest.approx(0, abs=1e-3)
    between = rows["share of the residuals' variance between families"].iloc[0]
    assert 0 < between < 1


def test_without_families_and_depths_there_are_no_effects(run, accuracy, attacks):
    tables = run(accuracy, attacks, families={}, depths={})
    assert tables["effects"].empty
    assert set(tables["laws"]["models"]) == {ALL, FRONTIER}


def test_a_distortion_that_is_the_budget_has_no_effects(run, accuracy, attacks):
    attacks[columns(MEAN)] = 0.1
    tables = run(accuracy, attacks)
    assert tables["effects"].empty
    assert of(tables["laws"])["r_squared"].isna().all()


@pytest.fixture
def clever():
    rows = [
        {"model": model, "test": "probe", "condition": "ball", "norm": norm, "target": target,
         "scored_right_before": 7, tabulate_clever.MEAN: scale * moved, "status": "ok"}
        for model, moved in zip(MODELS, MOVED, strict=True)
        for norm, scale in (("l2", 1), ("linf", 2))
        for target in ("random", "runner_up")
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_clever_scores_have_laws_of_their_own(run, accuracy, attacks, clever):
    tables = run(accuracy, attacks, clever)
    scores = of(tables["laws"], statistic=SCORE)
    assert set(scores["attack"]) == {"probe"} and set(scores["goal"]) == {"random", "runner_up"}
    moved, _, _ = of(tables["laws"]).to_dict("records")
    score = scores.to_dict("records")[0]
    assert (score["a"], score["b"], score["r_squared"]) == (
        moved["a"], moved["b"], moved["r_squared"],
    )  # fmt: skip
    twice = of(tables["laws"], statistic=SCORE, norm="linf").to_dict("records")[0]
    assert twice["b"] == pytest.approx(2 * score["b"], rel=1e-3)  # four digits
    assert (of(tables["points"], statistic=SCORE)["n"] == 7).all()
    assert "probe" in set(tables["effects"]["attack"])


def test_a_study_may_have_clever_only(run, accuracy, clever):
    assert set(run(accuracy, clever=clever)["laws"]["attack"]) == {"probe"}


def test_a_model_without_a_finite_score_is_no_point(run, accuracy, clever):
    clever.loc[clever["model"] == MODELS[0], tabulate_clever.MEAN] = math.inf
    broken = {"model": MODELS[1], "test": "probe", "status": "it says NaN"}
    clever = pd.concat([clever[clever["model"] != MODELS[1]], pd.DataFrame([broken])])
    points = of(run(accuracy, clever=clever)["points"], statistic=SCORE)
    status = points.set_index("model")["status"].groupby(level=0).first()
    assert (status[MODELS[0]], status[MODELS[1]]) == ("a score is infinite", "it says NaN")
    assert (status.drop(list(MODELS[:2])) == "ok").all()


def test_two_models_are_no_law_and_have_no_effects(run, accuracy, attacks):
    two = MODELS[:2]
    few = run(accuracy[accuracy["model"].isin(two)], attacks[attacks["model"].isin(two)])
    assert few["effects"].empty
    assert (
        few["laws"]["status"] == "2 models with 2 different accuracies: expected 3 or more"
    ).any()
