"""What evaluators report and ask for: checks by name, the first half (see docs/provenance.md).

Those that need a study that has run are in tests/workflow/test_acceptance_of_studies.py. Two need
files that may not be shipped: predictions of networks (CC BY-NC) and trials of people. Their
folders are named by ROBUSTEVAL_IMAGENET_X and ROBUSTEVAL_MODEL_VS_HUMAN; without these, the same
code is held against vectors by hand.
"""

import io
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image
from torch import nn

from robusteval import plugins
from robusteval.costs import cost_of
from robusteval.images._decode import picture_of
from robusteval.images._labels import Classes
from robusteval.images.layouts.numbered_folders import numbered_folders
from robusteval.metrics.auroc import auroc
from robusteval.metrics.fpr_at_tpr import fpr_at_tpr
from robusteval.models._checkpoint import read_checkpoint
from robusteval.published._comparison import FAIL, PASS
from robusteval.published.agreement import error_consistency
from robusteval.published.calibration import expected_calibration_error
from robusteval.published.predictions import read_predictions
from robusteval.published.recompute import recompute
from robusteval.published.trials import Trial, read_trials, shape_bias
from robusteval.records import Records
from workflow_scripts import tabulate_detection
from workflow_scripts.tabulate_accuracy import by_condition

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def recomputed():
    return recompute(ROOT / "config/published")


@pytest.fixture(scope="module")
def subject():
    """A network on 12 images of 8 x 8, all of which it gets right."""
    torch.manual_seed(0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 4)).eval()
    model[3].weight.data *= 8  # margins of a few logits, as those of a trained network
    images = torch.rand(12, 1, 8, 8)
    return model, images, model(images).argmax(1)


def draws(ids):
    return [np.random.default_rng(int(i)) for i in ids]


def test_01_mce_of_robustbench_is_exact(recomputed):
    rows = [c for c in recomputed["corruption_means"] if c.what == "mce"]
    of_robustbench = [c for c in rows if "alexnet_robustbench" in c.condition]
    assert len(of_robustbench) == 12
    assert all(c.verdict == PASS and round(c.ours, 2) == c.theirs for c in of_robustbench)


def test_02_accuracy_ece_and_kappa_of_published_predictions_are_exact():
    folder = os.environ.get("ROBUSTEVAL_IMAGENET_X")
    if folder:
        published = {"ResNet50": (0.761300, 0.037308), "ViT": (0.780060, 0.014125)}
        for name, (accuracy, ece) in published.items():
            said = read_predictions(Path(folder) / f"{name}.csv")
            assert round(float(said.right.mean()), 6) == accuracy
            assert round(expected_calibration_error(said.confidence, said.right), 6) == ece
        return
    # One bin of confidence 0.9 and accuracy 0.5, one of 0.3 and 0: 2/3 * 0.4 + 1/3 * 0.3.
    confidence, right = np.array([0.9, 0.9, 0.3]), np.array([True, False, False])
    assert expected_calibration_error(confidence, right) == pytest.approx(1.1 / 3, abs=1e-12)
    first = dict(zip("wxyz", [True, True, True, False], strict=True))
    second = dict(zip("wxyz", [True, True, False, False], strict=True))
    # Observed agreement 3/4, expected 3/4 * 1/2 + 1/4 * 1/2.
    assert error_consistency(first, second) == pytest.approx((0.75 - 0.5) / 0.5)


def test_03_shape_bias_of_people_is_exact(recomputed):
    folder = os.environ.get("ROBUSTEVAL_MODEL_VS_HUMAN")
    if folder:
        paths = sorted(Path(folder).glob("cue-conflict/*subject*.csv"))
        trials = [trial for path in paths for trial in read_trials(path)]
        assert round(shape_bias(trials), 6) == 0.957587
        return
    shown = "0001_s5n_dnn_0_cat_00_cat1-dog2.png"
    said = ["cat", "cat", "cat", "dog", "na"]
    assert shape_bias([Trial("subject-01", shown, "0", "cat", r) for r in said]) == 3 / 4


def test_04_auroc_does_not_move_with_the_scale_and_is_that_of_scikit_learn():
    from sklearn.metrics import roc_auc_score

    rng = np.random.default_rng(0)
    known, unknown = rng.normal(1, 1, 400), rng.normal(0, 1, 300)
    expected = roc_auc_score(np.r_[np.zeros(400), np.ones(300)], -np.r_[known, unknown])
    for moved in (lambda x: x, lambda x: x + 100, lambda x: 3 * x - 7, np.exp):
        assert auroc(moved(known), moved(unknown)) == pytest.approx(expected, abs=1e-12)


def test_05_fpr95_names_its_positive_class():
    rng = np.random.default_rng(0)
    known, unknown = rng.exponential(1, 500), rng.normal(0, 1, 500)
    with pytest.raises(TypeError, match="positive"):
        fpr_at_tpr(known, unknown)
    both = {p: fpr_at_tpr(known, unknown, positive=p) for p in ("known", "unknown")}
    assert abs(both["known"] - both["unknown"]) > 0.05
    columns = [c for c in tabulate_detection.COLUMNS if c.startswith("fpr")]
    assert columns and all("_positive_" in column for column in columns)


@pytest.mark.parametrize(
    ("attack", "settings"),
    [
        ("pgd", {"eps": 0.1, "step_size": 0.02, "steps": 5}),
        ("cw_l2", {"steps": 10, "searches": 2}),
        ("square", {"eps": 0.1, "queries": 20}),
    ],
)
def test_06_an_attack_does_not_depend_on_batch_size_order_or_shards(subject, attack, settings):
    model, images, labels = subject
    run = plugins.load("attacks", attack)
    ids = torch.arange(12)
    whole = run(model, images, labels, generators=draws(ids), **settings).images
    small = run(model, images, labels, generators=draws(ids), batch_size=16, **settings).images
    order = torch.arange(11, -1, -1)
    turned = run(model, images[order], labels[order], generators=draws(order), **settings).images
    parts = [
        run(model, images[p], labels[p], generators=draws(p), **settings).images
        for p in ids.split(5)
    ]
    assert torch.equal(whole, small) and torch.equal(whole, turned[order])
    assert torch.equal(whole, torch.cat(parts))


def jpeg(mode="RGB", size=(8, 8)):
    buffer = io.BytesIO()
    Image.new(mode, size).save(buffer, "JPEG")
    return buffer.getvalue()


def test_09_odd_input_is_refused_by_name_or_read_rightly(subject):
    model, images, labels = subject
    fgsm = plugins.load("attacks", "fgsm")
    for wrong in ((images - 0.5) / 0.25, images * 255):  # normalised; bytes
        with pytest.raises(ValueError, match=r"\[0, 1\]|0 to 1"):
            fgsm(model, wrong, labels, eps=0.1)
    rgba = io.BytesIO()
    Image.new("RGBA", (8, 8)).save(rgba, "PNG")
    assert picture_of(rgba.getvalue(), "x.png").pixels.shape == (8, 8, 3)
    for mode in ("L", "RGB", "CMYK"):
        assert picture_of(jpeg(mode), "x.jpg").pixels.shape[:2] == (8, 8)
    with pytest.raises(ValueError, match=r"x\.jpg"):
        picture_of(jpeg(size=(64, 64))[:-200], "x.jpg")
    assert len(fgsm(model, images[:1], labels[:1], eps=0.1).images) == 1
    wrong_from_the_start = fgsm(model, images, (labels + 1) % 4, eps=0.1)
    assert wrong_from_the_start.success.any()


def test_10_folders_of_numbers_are_numbers(tmp_path):
    for number in (0, 2, 10, 100):
        (tmp_path / str(number)).mkdir()
        Image.new("RGB", (2, 2)).save(tmp_path / f"{number}/x.png")
    listing = numbered_folders(tmp_path, Classes())
    found = dict(zip(listing.names, listing.labels.tolist(), strict=True))
    assert found == {f"{n}/x.png": n for n in (0, 2, 10, 100)}


def test_11_a_set_of_some_classes_is_told_among_these_and_among_all():
    """Class 3 has the largest logit; among the two that the set shows, it is the right one."""
    index = pd.DataFrame({"image_id": [0], "label": [0], "condition": "imagenet_a", "severity": 0})
    logits = np.array([[2, 1, 0, 5]], np.float32)
    settings = {"n": 1, "subsets": {"imagenet_a": [0, 1]}}
    cell = Records(index.assign(prediction=3), logits, settings=settings)
    rows = list(by_condition({("m", "imagenet_shifted"): cell}))
    accuracy = {row["classes"]: row["accuracy_pct_higher_better"] for row in rows}
    assert accuracy == {"2 of 4": 100, "4": 0}
    assert next(iter(accuracy)) == "2 of 4"  # what is published comes first


@pytest.mark.parametrize(
    ("attack", "settings", "forwards", "backwards"),
    [
        ("pgd", {"eps": 0.1, "step_size": 0.01, "steps": 10}, 11, 10),
        ("cw_l2", {"steps": 1000, "searches": 9, "patience": 1000}, 9001, 9000),
        ("ifgsm_search", {"attempts": 9, "steps": 50, "early_stop": False}, 451, 442),
        ("autoattack", {"eps": 0.1}, 7853, 1910),
    ],
)
def test_13_passes_are_those_that_the_algorithms_cost(attack, settings, forwards, backwards):
    """C&W without abort as foolbox counts it; AutoAttack but for the checks around it."""
    cost = cost_of("attacks", attack, settings, 1000)
    assert (cost.forwards_most, cost.backwards_most) == (forwards, backwards)


def test_13_clever_shares_its_forward_pass_among_targets():
    settings = {"batches": 500, "samples": 1024}
    targets = ["random", "least_likely", "runner_up"]
    cost = cost_of("probes", "clever", settings | {"target": targets}, 1000)
    assert (cost.forwards_most, cost.backwards_most) == (1 + 512_000, 1_536_000)


def test_13_counters_agree_with_the_passes_that_a_model_sees(subject):
    model, images, labels = subject
    seen = []
    handle = model.register_forward_hook(lambda *_: seen.append(1))
    try:
        settings = {"eps": 0.1, "step_size": 0.02, "steps": 7}
        found = plugins.load("attacks", "pgd")(
            model, images, labels, generators=draws(range(12)), **settings
        )
    finally:
        handle.remove()
    assert found.forwards.unique().tolist() == [8] and found.backwards.unique().tolist() == [7]
    assert len(seen) >= 8


def test_14_attacks_are_at_least_as_strong_as_foolbox(subject):
    foolbox = pytest.importorskip("foolbox")
    model, images, labels = subject
    theirs = foolbox.PyTorchModel(model, bounds=(0, 1), device="cpu")
    eps = 0.03
    _, _, broken = foolbox.attacks.LinfPGD(steps=20, random_start=False)(
        theirs, images, labels, epsilons=eps
    )
    ours = plugins.load("attacks", "pgd")(
        model, images, labels, generators=draws(range(12)), eps=eps, step_size=eps / 8, steps=20
    )
    assert int(ours.success.sum()) >= int(broken.sum())
    _, moved, broken = foolbox.attacks.L2CarliniWagnerAttack(
        binary_search_steps=5, steps=200, initial_const=1.0
    )(theirs, images, labels, epsilons=None)
    cw = plugins.load("attacks", "cw_l2")(
        model, images, labels, searches=5, steps=200, initial_const=1.0, patience=40
    )
    both = cw.success & broken
    length = torch.linalg.vector_norm
    own, other = (length((x - images).flatten(1), 2, 1)[both] for x in (cw.images, moved))
    assert cw.success.sum() >= broken.sum() and both.any()
    # A tenth of a percent: both end at a tolerance of their own search, not at the boundary.
    assert own.mean() <= 1.001 * other.mean()


def test_16_two_jobs_on_two_devices_get_different_ones(tmp_path):
    from contextlib import ExitStack

    from workflow_scripts._lease import lease

    names = ["fake:0", "fake:1"]
    with ExitStack() as stack:
        taken = [stack.enter_context(lease(names, folder=tmp_path)) for _ in names]
        assert sorted(taken) == names


def test_19_a_page_in_place_of_weights_is_refused(tmp_path):
    (tmp_path / "w.pth").write_bytes(b"<!DOCTYPE html><html>Sign in</html>")
    with pytest.raises(ValueError, match="an HTML page, not weights"):
        read_checkpoint(tmp_path / "w.pth")


def test_published_numbers_recomputed_have_no_failure(recomputed):
    assert not [c for rows in recomputed.values() for c in rows if c.verdict == FAIL]
