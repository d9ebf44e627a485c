"""Costs said before, against the passes that attacks and probes count."""

import re
from ast import literal_eval
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from robusteval import plugins
from robusteval._attack_costs import USED
from robusteval.costs import ATTACKS, COUNTING, PROBES, cost_of
from workflow_scripts._access import BLACK_BOX
from workflow_scripts._noises import NOISY
from workflow_scripts.draw_laws import SMALLEST
from workflow_scripts.probe import SLOW
from workflow_scripts.unmask import NORMS

ROOT = Path(__file__).parents[2]

CLASSES = 4
ATTACK_SETTINGS = {
    "autoattack": {"eps": 0.1, "steps": 8, "queries": 30, "target_classes": 2},
    "boundary": {"queries": 40},
    "confident": {"eps": 0.1, "step_size": 0.02, "steps": 5},
    "cw_l2": {"steps": 12, "searches": 3, "patience": 4, "polish": 6},
    "deepfool": {"steps": 5, "candidates": 3},
    "ead": {"steps": 12, "searches": 3, "patience": 4, "polish": 6},
    "fgsm": {"eps": 0.1},
    "ifgsm": {"eps": 0.1, "steps": 4},
    "ifgsm_search": {"steps": 4, "attempts": 3, "warm_start": True},
    "mi_fgsm": {"eps": 0.1, "steps": 4},
    "nattack": {"eps": 0.1, "steps": 3, "population": 4},
    "pgd": {"eps": 0.1, "step_size": 0.02, "steps": 5},
    "pgd_l1": {"eps": 2.0, "step_size": 0.5, "steps": 5},
    "spsa": {"eps": 0.1, "steps": 3, "samples": 4},
    "square": {"eps": 0.1, "queries": 20},
}
WITHOUT_TARGET = {"autoattack", "boundary", "confident", "deepfool"}
EXACT = {"confident", "fgsm", "ifgsm", "mi_fgsm", "pgd", "pgd_l1"}


@pytest.fixture(scope="module")
def subject():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, CLASSES))
    images = torch.rand(16, 1, 8, 8)
    labels = model.eval()(images).argmax(1)
    labels[0] = (labels[0] + 1) % CLASSES  # one is wrong from the start
    return model, images, labels


def draws(count=16):
    return [np.random.default_rng(i) for i in range(count)]


def test_every_attack_and_every_probe_has_a_cost():
    assert set(plugins.names("attacks")) == set(ATTACKS) == set(ATTACK_SETTINGS)
    assert set(plugins.names("probes")) == set(PROBES)


def test_black_box_attacks_are_those_that_take_no_gradient():
    passes = {a: cost_of("attacks", a, s, CLASSES) for a, s in ATTACK_SETTINGS.items()}
    assert set(BLACK_BOX) == {attack for attack, cost in passes.items() if not cost.backwards_most}


def test_lists_of_attacks_and_probes_name_those_there_are():
    searches = re.search(r'\["attack"\] in (\(.*?\))\]', (ROOT / "rules/common.smk").read_text())
    assert {*BLACK_BOX, *USED, *NORMS, *SMALLEST, *literal_eval(searches[1])} - {
        "boundary_eps",  # the walk with a budget
        "clever",  # a probe that is drawn among the attacks
    } <= set(ATTACKS)
    assert {*COUNTING, *NOISY, *SLOW} <= set(PROBES)


@pytest.mark.parametrize("target", [None, "random"])
@pytest.mark.parametrize("attack", sorted(ATTACK_SETTINGS))
def test_no_image_costs_more_than_is_said_and_the_simple_ones_just_that(subject, attack, target):
    settings = ATTACK_SETTINGS[attack]
    if target:
        if attack in WITHOUT_TARGET:
            pytest.skip("it has no target")
        settings = settings | {"target": target}
    found = plugins.load("attacks", attack)(*subject, generators=draws(), **settings)
    said = cost_of("attacks", attack, settings, CLASSES)
    assert found.forwards.max() <= said.forwards_most
    assert found.backwards.max() <= said.backwards_most
    if attack in EXACT:
        assert (found.forwards == said.forwards).all()
        assert (found.backwards == said.backwards).all()
    assert said.forwards <= said.forwards_most and said.backwards <= said.backwards_most


def test_a_walk_along_the_boundary_with_a_radius_looks_once_more(subject):
    settings = {"queries": 40, "eps": 0.01}  # nothing wrong is that near
    found = plugins.load("attacks", "boundary")(*subject, generators=draws(), **settings)
    assert found.forwards.max() == cost_of("attacks", "boundary", settings, CLASSES).forwards_most


@pytest.mark.parametrize(
    "settings",
    [
        {"batches": 3, "samples": 8, "target": ["random", "runner_up"]},
        {"batches": 3, "samples": 8, "target": "untargeted"},
        {"batches": 3, "samples": 8, "sampling": "art", "radius": 0.5, "pool": 2},
    ],
)
def test_clever_costs_what_is_said_where_the_model_is_right(subject, settings):
    frame = plugins.load("probes", "clever")(*subject, generators=draws(), **settings)
    said = cost_of("probes", "clever", settings, CLASSES)
    assert frame["forwards"].max() == said.forwards_most
    assert frame["backwards"].max() == said.backwards_most
    assert frame.loc[frame["row"] == 0, "forwards"].eq(1).all()


@pytest.mark.parametrize("search", ["scan", "bisect"])
def test_boundary_distances_cost_no_more_than_is_said(subject, search):
    settings = {"directions": 8, "magnitudes": 6, "sides": "two", "search": search}
    frame = plugins.load("probes", "ebd")(*subject, generators=draws(), **settings)
    assert frame["forwards"].max() <= cost_of("probes", "ebd", settings, CLASSES).forwards_most


@pytest.mark.parametrize("per_class", [False, True])
def test_steps_to_another_class_cost_no_more_than_is_said(subject, per_class):
    settings = {"steps": 6, "step_size": 0.001, "per_class": per_class}
    frame = plugins.load("probes", "ebd_2")(*subject, **settings)
    said = cost_of("probes", "ebd_2", settings, CLASSES)
    costs = frame.groupby("row")[["forwards", "backwards"]].sum()
    assert costs["forwards"].max() <= said.forwards_most
    assert costs["backwards"].max() <= said.backwards_most


NOISES = {
    "attack": {"kind": "attack", "name": "pgd", "eps": 0.1, "step_size": 0.02, "steps": 5},
    "drawn": {"kind": "gaussian", "sd": 0.1},
}


@pytest.mark.parametrize(
    ("probe", "settings"),
    [
        ("neuron_sensitivity", {"noises": NOISES}),
        ("neuron_uncertainty", {}),
        ("noise_insensitivity", {"noises": NOISES}),
    ],
)
def test_probes_without_counters_cost_what_is_said(subject, probe, settings):
    passes = []
    hook = subject[0].register_forward_hook(lambda *_: passes.append(1))
    try:  # all images go into one batch, so that a call is a pass of each
        plugins.load("probes", probe)(*subject, generators=draws(), batch_size=16, **settings)
    finally:
        hook.remove()
    said = cost_of("probes", probe, settings, CLASSES)
    assert len(passes) == said.forwards == said.forwards_most
    assert said.backwards == (5 if settings.get("noises") else 0)


def test_what_is_not_known_is_an_error():
    with pytest.raises(ValueError, match="the cost of attack 'none' is not known"):
        cost_of("attacks", "none", {}, CLASSES)
