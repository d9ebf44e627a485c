"""The tiny study, run to its end, and what a change to it runs again."""

import json
import os

import pandas as pd
import pytest
import yaml

from robusteval.records import OK

TABLES = [
    "accuracy", "accuracy_by_test", "attacks", "behaviour", "boundary_distance", "calibration",
    "checks", "clever", "confidence_histogram", "corruption_error", "coverage", "dar",
    "dar_by_score", "dar_by_set", "dar_curve", "dar_sensitivity", "detection",
    "detection_full_spectrum", "detection_groups", "fmr", "fmr_differences", "fmr_gates",
    "fmr_settings", "fmr_transfer", "framework", "imperceptibility", "kind_ranking", "kind_ranks",
    "law_effects", "law_points", "laws", "mean_corruption_error", "neurons",
    "noise_insensitivity", "oracles", "published", "search_steps", "selective", "storage",
    "transfer", "transfer_sources", "twins",
]  # fmt: skip
# Of four images none may be right; nothing is published of these models; two are no law; an attack
# without a success has none to lose.
# The framework says what a model lacks, and an attack may have no success.
GAPS = {"clever", "published", "laws", "law_effects", "law_points", "storage", "framework"}
GAPS |= {"imperceptibility", "fmr_gates"}
CONDITIONS = 3 + 1 + 1 + 1 + 4 + 1 + 2 + 2 + 2 + 1 + 1 + 1 + 1  # of the thirteen attacks
FIGURES = ["accuracy", "adversarial_examples", "confidence", "corruption_error", "dar"]
FIGURES += ["dar_curve", "examples", "kind_ranking", "laws", "laws_common", "success", "transfer"]
FIGURES += ["searched_examples", "searched_loss", "searched_settings", "transfer_sources"]


def table(workspace, name):
    return pd.read_csv(workspace.folder / f"results/tiny/tables/{name}.csv")


def test_all_tables_and_figures_are_there(tiny):
    folder = tiny.folder / "results/tiny"
    assert sorted(p.stem for p in (folder / "tables").glob("*.csv")) == TABLES
    drawn = {(p.stem, p.suffix) for p in (folder / "figures").iterdir() if p.is_file()}
    assert drawn == {(name, suffix) for name in FIGURES for suffix in (".svg", ".pdf", ".png")}


def test_each_model_has_a_page_of_the_framework(tiny):
    pages = {p.name for p in (tiny.folder / "results/tiny/figures/framework").iterdir()}
    models = ("cnn_tiny", "cnn_tiny_adversarial")
    assert pages == {f"{model}.{suffix}" for model in models for suffix in ("svg", "pdf", "png")}


def test_the_framework_says_why_a_model_lacks_a_metric(tiny):
    frame = table(tiny, "framework").set_index(["model", "metric"])
    assert frame.loc[("cnn_tiny", "CAV"), "status"] == "has no undefended twin in this study"
    assert frame.loc[("cnn_tiny_adversarial", "CAV"), "status"] == OK
    assert frame.loc[frame["n"] == 0, "status"].ne(OK).all()
    covered = frame[frame["group"] == "coverage"]
    assert covered["value"].notna().all()
    assert covered["unified_0_to_1_higher_better"].isna().all()


def test_every_cell_is_complete(tiny):
    for name in set(TABLES) - GAPS:
        frame = table(tiny, name)
        assert len(frame) > 0
        if "status" in frame:
            assert (frame["status"] == OK).all(), name
            assert (
                not frame["n" if "n" in frame else frame.filter(like="n_").columns[0]].eq(0).any()
            )


def test_tables_say_n_and_the_interval(tiny):
    for name in ("accuracy", "corruption_error", "attacks", "transfer", "dar_by_set"):
        frame = table(tiny, name)
        value = next(c for c in frame if "pct" in c and ("better" in c or "higher" in c))
        assert {"n", "wilson95_low_pct", "wilson95_high_pct"} <= set(frame.columns)
        assert (frame["wilson95_low_pct"] <= frame[value]).all()
        assert (frame[value] <= frame["wilson95_high_pct"]).all()


def test_counts_are_those_of_the_study(tiny):
    accuracy = table(tiny, "accuracy")
    attacks = {attack: [48] for attack in table(tiny, "attacks")["attack"]}
    attacks |= {attack: [16] for attack in ("autoattack_short", "pgd_l1_short", "spsa_short")}
    assert accuracy.groupby("test")["n"].unique().map(list).to_dict() == {
        "clean": [1000], "mnist_c": [100], **attacks,
    }  # fmt: skip
    assert len(accuracy) == 2 * (1 + 15 + CONDITIONS)


def test_the_baseline_has_an_mce_of_100(tiny):
    mean = table(tiny, "mean_corruption_error").set_index("model")
    assert (mean["part"] == "fifteen").all() and (mean["corruptions_in_mce"] == 15).all()
    assert mean.loc["cnn_tiny", "mce_pct_lower_better"] == 100
    assert mean.loc["cnn_tiny_adversarial", "mce_pct_lower_better"] != 100


def test_the_verdict_is_that_of_the_images_read_back(tiny):
    attacks = table(tiny, "attacks")
    attacks = attacks[attacks["population"] == "source right before"]
    assert (attacks["lost_on_reload"] == 0).all() and len(attacks) == 2 * CONDITIONS
    transfer = table(tiny, "transfer")
    own = transfer[
        (transfer["source"] == transfer["target"])
        & (transfer["population"] == "source right before")
    ].rename(columns={"source": "model"})
    both = attacks.merge(own, on=["model", "attack", "condition"])
    assert len(both) == len(attacks)
    success = "success_pct_of_attacked_higher_stronger_attack"
    # A targeted attack has succeeded where the target comes first.
    read = both["target_in_top1_pct_higher_transfers_more"].where(
        both["goal_x"] != "untargeted", both["rate_pct_higher_transfers_more"]
    )
    assert (both[success] == read).all()


def test_distortions_keep_to_their_budgets(tiny):
    attacks = table(tiny, "attacks")
    linf = attacks[attacks["attack"].isin(["fgsm", "pgd_linf"])]
    budget = linf["condition"].str.removeprefix("linf ").astype(float)
    # Distortions are printed with four digits; float32 pixels add about 1e-7.
    assert (linf["linf_mean_of_successes_scale_0_1"] <= budget + 1e-4).all()
    l2 = attacks[attacks["attack"] == "pgd_l2"]["l2_mean_of_successes_scale_0_1"]
    assert (l2 <= 1.5 + 1e-3).all() and (l2 > 0).all()


def test_passes_are_counted(tiny):
    passes = table(tiny, "attacks").set_index("attack")
    passes = passes[["forwards_per_image", "backwards_per_image"]]
    assert (passes.loc["fgsm"] == [2, 1]).all(axis=None)
    assert (passes.loc[["pgd_linf", "pgd_l2"]] == [21, 20]).all(axis=None)


def test_again_there_is_nothing_to_be_done(tiny):
    assert "Nothing to be done" in tiny.run()


def test_touching_a_file_runs_nothing(tiny):
    for name in ("robusteval/attacks/pgd.py", "config/tiny.yaml", "data/fashion_mnist.dvc"):
        os.utime(tiny.folder / name)
    assert tiny.jobs() == {}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("robusteval/attacks/pgd.py", {"craft": 4, "transfer": 2}),
        ("robusteval/attacks/fgsm.py", {"craft": 2, "transfer": 2}),
        ("robusteval/corruptions/stripe.py", {"corrupt_images": 1, "evaluate": 2}),
        ("robusteval/images/unrecognisable/blobs.py", {"build_unrecognisable": 1, "evaluate": 2}),
        ("robusteval/corruptions/_levels.py", {"corrupt_images": 12, "evaluate": 2}),
        ("robusteval/metrics/dar.py", {}),
        ("robusteval/scores/energy.py", {}),
        ("robusteval/feature_scores/knn.py", {}),
        ("robusteval/figures/dar_by_kind.py", {}),
    ],
)
def test_an_edit_runs_its_cells_again_and_what_hangs_on_them(tiny, name, expected):
    path = tiny.folder / name
    before = path.read_text()
    path.write_text(before + "\n# edited\n")
    try:
        jobs = tiny.jobs()
    finally:
        path.write_text(before)
    cells = ("fetch_", "build_", "corrupt_", "train_", "evaluate", "craft", "transfer")
    assert {rule: n for rule, n in jobs.items() if rule.startswith(cells)} == expected
    assert jobs["write_report"] == 1
    assert tiny.jobs() == {}


def test_a_score_more_and_another_choice_of_dar_run_no_model(tiny):
    path = tiny.folder / "config/tiny.yaml"
    before = path.read_text()
    study = yaml.safe_load(before)
    added = {"scores": [*study["scores"], "margin", "vim"]}  # features are there, for knn
    chosen = {"dar": {**study["dar"], "calibration": "held_out", "averaging": "sets"}}
    try:
        path.write_text(yaml.safe_dump(study | added))
        scored = tiny.jobs()
        path.write_text(yaml.safe_dump(study | chosen))
        decided = tiny.jobs()
    finally:
        path.write_text(before)
    others = {"score", "score_adversarial", "score_searched"}
    others |= {"compare_published", "write_report", "write_manifest"}
    for jobs in (scored, decided):
        assert all(rule.startswith(("tabulate_", "draw_")) for rule in jobs.keys() - others)
        assert jobs["tabulate_dar"] == jobs["draw_dar"] == jobs["write_report"] == 1
    assert scored["score"] == 2 and scored["score_adversarial"] == 2
    assert scored["tabulate_selective"] == 1
    assert "score" not in decided and "tabulate_selective" not in decided
    assert tiny.jobs() == {}


def test_a_changed_budget_runs_its_attack_again(tiny):
    path = tiny.folder / "config/catalogue/tests.yaml"
    before = path.read_text()
    path.write_text(before.replace('"l2 1.5": {norm: l2, eps: 1.5', '"l2 2": {norm: l2, eps: 2'))
    try:
        jobs = tiny.jobs()
    finally:
        path.write_text(before)
    assert (jobs["craft"], jobs["transfer"]) == (2, 2)
    assert "evaluate" not in jobs and "train_model" not in jobs


def test_attacks_in_another_order_are_listed_anew_and_none_is_made_again(tiny):
    path = tiny.folder / "config/tiny.yaml"
    before = path.read_text()
    study = yaml.safe_load(before)
    try:
        path.write_text(yaml.safe_dump(study | {"tests": study["tests"][::-1]}))
        jobs = tiny.jobs()
    finally:
        path.write_text(before)
    assert jobs["list_adversarial"] == jobs["transfer"] == jobs["score_adversarial"] == 2
    assert "craft" not in jobs and "evaluate" not in jobs


def test_a_new_model_runs_its_own_cells_and_its_row_and_column(tiny):
    tiny.add_models(
        "third:\n  builder: cnn\n  arguments: {width: 4}\n  training: {<<: *tiny, seed: 2}\n"
    )
    old = {p: p.stat().st_mtime_ns for p in tiny.folder.glob("results/tiny/transfer/*/parts/*/*")}
    models = ["cnn_tiny", "cnn_tiny_adversarial", "third"]
    tiny.write_study("grown", study="tiny", models=models)
    jobs = tiny.jobs(study="grown")
    assert {r: jobs[r] for r in ("train_model", "evaluate", "craft", "transfer")} == {
        "train_model": 1, "evaluate": 4, "craft": 13, "transfer": 3,
    }  # fmt: skip
    target = "results/tiny/transfer/cnn_tiny.list"
    tiny.run(target, study="grown")
    now = {p: p.stat().st_mtime_ns for p in tiny.folder.glob("results/tiny/transfer/*/parts/*/*")}
    assert {p: now[p] for p in old} == old  # no old pair was asked again
    assert {str(p.relative_to(tiny.folder)) for p in now if p not in old} == {
        f"results/tiny/transfer/{attack}/parts/cnn_tiny/third.safetensors"
        for attack in table(tiny, "attacks")["attack"]
    }
    tiny.run(target)  # back to two models, for the tests that follow


def test_cards_say_what_they_were_made_with(tiny):
    card = json.loads((tiny.folder / "results/models/cnn_tiny/card.json").read_text())
    assert {"builder", "classes", "input_size", "mean", "std", "weights_sha256", "clean"} <= set(
        card
    )
    assert card["clean"]["n"] == 10_000
    craft = tiny.folder / "results/tiny/adversarial/cnn_tiny/pgd_linf/card.json"
    card = json.loads(craft.read_text())
    assert {"attack", "conditions", "seed", "n", "weights", "torch", "shards"} <= set(card)


def test_a_damaged_shard_is_named(tiny):
    folder = tiny.folder / "results/tiny/adversarial/cnn_tiny/fgsm"
    shard = next(folder.glob("*.safetensors"))
    before = shard.read_bytes()
    shard.write_bytes(before[:-1] + bytes([before[-1] ^ 1]))
    target = "results/tiny/transfer/cnn_tiny.list"
    parts = tiny.folder / "results/tiny/transfer/fgsm/parts/cnn_tiny/cnn_tiny.safetensors"
    parts.unlink()
    try:
        text = tiny.run("--forcerun", "transfer", "--", target, check=False)
    finally:
        shard.write_bytes(before)
    assert f"{shard.name}: missing or not the file that card.json was written for" in text
    tiny.run(target)


@pytest.mark.slow  # killed again and again it is so, too: tests/workflow/kill
def test_everything_deleted_and_made_again_is_the_same_to_the_byte(tiny):
    tables = tiny.tables()
    (tiny.folder / "results").rename(tiny.folder / "before")
    tiny.run()
    assert tiny.tables() == tables
    before = tiny.folder / "before/tiny/figures"
    for path in (p for p in before.rglob("*") if p.is_file()):
        again = tiny.folder / "results/tiny/figures" / path.relative_to(before)
        assert path.read_bytes() == again.read_bytes(), path.name
