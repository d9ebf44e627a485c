"""The graph before anything runs."""

import re
import subprocess
import sys

import pytest

DEMO = {
    "fetch_images": 1, "build_images": 2, "corrupt_images": 15, "build_unrecognisable": 4,
    "build_novel": 1, "train_model": 7, "check_model": 6, "evaluate": 6 * 4, "craft": 6 * 11,
    "transfer": 6, "requantise": 6, "unmask": 6, "probe": 6, "cover": 6, "score": 6,
    "score_adversarial": 6, "evaluate_training": 6, "search": 3, "transfer_searched": 6,
    "list_adversarial": 6, "score_searched": 3,
}  # fmt: skip


def test_the_demo_has_a_job_for_each_cell(fresh):
    jobs = fresh.jobs(study="demo")
    assert {rule: n for rule, n in jobs.items() if rule in DEMO} == DEMO
    assert all(n == 1 for rule, n in jobs.items() if rule not in DEMO)


def test_the_default_study_is_the_demo(fresh):
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--resources", "gpu=4"]
    text = subprocess.run(command, cwd=fresh.folder, capture_output=True, text=True).stdout
    assert "results/demo/report.html" in text


@pytest.mark.parametrize(
    "study",
    [
        "imagenet_lite",
        "imagenet",
        "cifar10",
        "paper/assessment_mnist",
        pytest.param("paper/assessment_cifar10", marks=pytest.mark.slow),
        pytest.param("paper/assessment_cifar100", marks=pytest.mark.slow),
        pytest.param("paper/assessment_tinyimagenet", marks=pytest.mark.slow),
        "paper/assessment_imagenet",
        "paper/evaluation_framework_cifar10",
        pytest.param("paper/evaluation_framework_svhn", marks=pytest.mark.slow),
        "paper/evaluation_framework_imagenet",
    ],
)
def test_studies_of_real_images_are_planned_without_the_images(fresh, study):
    jobs = fresh.jobs(study=study)
    assert jobs["list_images"] and jobs["view_images"] and jobs["evaluate"]


@pytest.mark.parametrize(
    ("study", "searches"),
    [
        ("paper/foundation_oriented_imagenet", 6 * 3),
        pytest.param("paper/foundation_oriented_mnist", 9 * 2, marks=pytest.mark.slow),
        pytest.param("paper/foundation_oriented_cifar10", 4 * 2, marks=pytest.mark.slow),
        pytest.param("paper/foundation_oriented_imagenet9", 3 * 2, marks=pytest.mark.slow),
        pytest.param("fashion_oriented", 12 * 3, marks=pytest.mark.slow),
    ],
)
def test_searches_are_planned_without_images_and_weights(fresh, study, searches):
    jobs = fresh.jobs(study=study)
    assert jobs["search"] == searches
    generators = jobs.get("prepare_generator", 0) + jobs.get("train_generator", 0)
    several = {"paper/foundation_oriented_imagenet": 3, "fashion_oriented": 2}
    assert generators == several.get(study, 1)


def test_examples_are_of_searches_that_began_at_the_images_of_the_study(fresh):
    choice, own = "searched_fashion_choice", "searched_fashion"
    fresh.write_study("choosing", tests=["clean", choice])
    jobs = fresh.jobs(study="choosing")
    assert jobs["tabulate_fmr"] == 1 and "draw_searched_examples" not in jobs
    fresh.write_study("chosen", tests=["clean", choice, own])
    jobs = fresh.jobs("results/chosen/figures/searched_examples.svg", study="chosen")
    assert (jobs["draw_searched_examples"], jobs["search"]) == (1, 2)  # of two models


def test_the_study_of_18_models_has_a_job_for_each_cell_and_target(fresh):
    jobs = fresh.jobs(study="paper/accuracy_cost")
    assert (jobs["prepare_model"], jobs["view_images"], jobs["probe"]) == (18, 3, 18)
    # 3 of FGSM, 9 of I-FGSM and its search, 3 of C&W and of EAD with targets and without
    assert jobs["craft"] == 18 * (3 + 9 + 1 + 2 * 2 * 3)
    assert jobs["transfer"] == jobs["requantise"] == 18


def test_tiny_has_every_rule_of_the_demo(fresh):
    assert fresh.jobs(study="tiny").keys() == fresh.jobs(study="demo").keys()


def test_every_rule_has_a_script_of_its_name_and_says_what_it_does(fresh):
    text = fresh.run("--list-rules")
    rules = {path.stem for path in (fresh.folder / "rules").glob("*.smk")}
    written = "\n".join((fresh.folder / "rules" / f"{name}.smk").read_text() for name in rules)
    bodies = re.split(r"^(?:local)?rule (?=\w+:$)", written, flags=re.MULTILINE)[1:]
    names = [body.split(":")[0] for body in bodies if "script:" in body]  # others are targets
    assert len(names) > 15
    for name in names:
        assert (fresh.folder / "workflow_scripts" / f"{name}.py").is_file(), name
        assert re.search(rf"^{name} \(\w.*\)$", text, re.MULTILINE), name


def test_no_study_has_keys_of_another(fresh):
    fresh.write_study("short", tests=["clean"], counts={"clean": 10})
    jobs = fresh.jobs(study="short")
    assert jobs["evaluate"] == 2
    assert "craft" not in jobs and "corrupt_images" not in jobs


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"models": ["cnn_tiny", "resnet"]}, "models: unknown id 'resnet'; allowed are cnn, "),
        ({"modles": ["cnn_tiny"]}, "unknown key 'modles'; allowed are study, seed, images, "),
        ({"counts": {"clean": 10_001}}, "counts: "),
        (
            {"scores": ["max_softmax", "odin"]},
            "scores: unknown id 'odin'; allowed are ",
        ),
        ({"dar": {"calibration": "train"}}, "dar"),
    ],
)
def test_a_mistake_is_one_line_before_any_job(fresh, changes, message):
    fresh.write_study("mistaken", **changes)
    text = fresh.run("--quiet", "all", study="mistaken", check=False)
    lines = [line for line in text.splitlines() if message in line]
    assert len(lines) == 1 and lines[0].startswith("config/mistaken.yaml: "), text
    assert "Traceback" not in text and "rule " not in text


def test_laws_are_fitted_where_an_attack_looks_for_the_smallest_distortion(fresh):
    fresh.write_study("searched", tests=["clean", "cw_l2"])
    jobs = fresh.jobs(study="searched")
    assert jobs["tabulate_laws"] == jobs["draw_laws"] == jobs["draw_laws_common"] == 1
    fresh.write_study("probed", tests=["clean", "clever_short"])
    jobs = fresh.jobs(study="probed")
    assert jobs["tabulate_laws"] == jobs["draw_laws"] == 1 and "draw_laws_common" not in jobs
    fresh.write_study("budgets", tests=["clean", "fgsm"])
    assert "tabulate_laws" not in fresh.jobs(study="budgets")


def test_features_are_kept_only_where_a_score_looks_at_them(fresh):
    fresh.write_study("plain", tests=["clean", "fgsm"], scores=["max_softmax"])
    assert "evaluate_training" not in fresh.jobs(study="plain")
    fresh.write_study("looking", tests=["clean", "fgsm"], scores=["react"])
    jobs = fresh.jobs(study="looking")
    assert jobs["evaluate_training"] == jobs["score"] == jobs["score_adversarial"] == 2


def test_seeds_are_taken_together_where_models_differ_in_nothing_else(fresh):
    jobs = fresh.jobs(study="fashion")
    rules = ("tabulate_methods", "draw_accuracy_by_method", "draw_dar_by_method")
    assert [jobs[rule] for rule in rules] == [1, 1, 1]
    assert not {*rules} & fresh.jobs(study="demo").keys()


def test_wrapped_models_and_those_attacked_in_training_come_after_what_they_are_made_of(fresh):
    jobs = fresh.jobs(study="defences")
    assert (jobs["train_model"], jobs["wrap_model"], jobs["check_model"]) == (6, 3, 9)
    assert jobs["craft"] == 9 * 7 and jobs["tabulate_behaviour"] == 1  # beside their twins
    alone = fresh.jobs("results/models/cnn_jpeg/card.json", study="defences")
    assert (alone["train_model"], alone["wrap_model"]) == (1, 1)
    attacked = fresh.jobs("results/models/cnn_eat/card.json", study="defences")
    assert attacked["train_model"] == 3 and "wrap_model" not in attacked


def test_searched_training_images_come_from_models_that_are_trained_before(fresh):
    models = ["oriented_searched_1", "oriented_searched_2"]
    fresh.write_study("taught", models=models, baseline=models[0], tests=["clean"])
    jobs = fresh.jobs("shared", study="taught")
    # The two, the one that both were searched against, and the three of the oracle.
    assert (jobs["train_model"], jobs["search_training"], jobs["train_generator"]) == (6, 2, 1)
    assert "search" not in jobs and "check_oracle" not in jobs
    path = fresh.folder / "config/catalogue/tests.yaml"
    before = path.read_text()
    own = "  oracle: fashion_zoo\n  images: fashion_mnist_train\n"
    assert before.count(own) == 1
    path.write_text(before.replace(own, own + "  judges: fashion_judges\n"))
    try:
        assert fresh.jobs("shared", study="taught") == jobs  # a training does not ask them
    finally:
        path.write_text(before)


def test_without_stored_corruptions_a_cell_makes_its_own(fresh):
    fresh.write_study("streamed", tests=["clean", "mnist_c"], store_corrupted=False)
    jobs = fresh.jobs(study="streamed")
    assert "corrupt_images" not in jobs
    assert (jobs["evaluate"], jobs["evaluate_streamed"]) == (2, 2)


def test_what_studies_share_is_made_first_and_nothing_of_the_study(fresh):
    """`python -m robusteval run` excludes other studies while it makes this, and then no longer."""
    rules = "fetch_images build_images view_images list_images train_model prepare_model wrap_model"
    rules += " train_generator prepare_generator search_training"
    for study in ("tiny", "paper/foundation_oriented_imagenet"):
        whole, shared = fresh.jobs(study=study), fresh.jobs("shared", study=study)
        shared.pop("shared")
        assert shared == {rule: n for rule, n in whole.items() if rule in rules.split()}
