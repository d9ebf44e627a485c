"""Which models are one method, and what it is called."""

import copy

import pytest

from workflow_scripts._methods import method_name, methods_of


def entry(seed, method="standard", width=16, **more):
    training = {"method": method, "method_arguments": {}, "epochs": 8, "seed": seed}
    return {"builder": "cnn", "arguments": {"width": width}, "training": training, **more}


ENTRIES = {
    "plain_1": entry(1),
    "mixup_1": entry(1, "mixup"),
    "plain_2": entry(2),
    "wide_1": entry(1, width=32),
    "mixup_7": entry(7, "mixup"),
    "bought": {"builder": "timm_model", "arguments": {}, "view": "imagenet"},
}


def test_models_that_differ_in_their_seed_only_are_one_method():
    before = copy.deepcopy(ENTRIES)
    assert methods_of(ENTRIES, ENTRIES) == {
        "plain": {"plain_1": 1, "plain_2": 2},
        "mixup": {"mixup_1": 1, "mixup_7": 7},
    }
    assert before == ENTRIES


def test_methods_and_models_have_the_order_of_the_study():
    found = methods_of(["mixup_7", "plain_2", "mixup_1", "plain_1"], ENTRIES)
    assert list(found) == ["mixup", "plain"]
    assert list(found["mixup"]) == ["mixup_7", "mixup_1"]


def test_only_models_of_the_study_count():
    assert methods_of(["plain_1", "mixup_1", "wide_1", "bought"], ENTRIES) == {}


def test_what_else_an_entry_says_makes_no_other_method():
    entries = {"a_1": entry(1, family="cnn"), "a_2": entry(2, cite="A 2019, B; C; arXiv 1.1")}
    assert list(methods_of(entries, entries)) == ["a"]


@pytest.mark.parametrize("key", ["epochs", "method_arguments"])
def test_any_other_difference_in_training_does(key):
    other = entry(2)
    other["training"][key] = {"epochs": 9, "method_arguments": {"alpha": 1.0}}[key]
    entries = {"a_1": entry(1), "a_2": other}
    assert methods_of(entries, entries) == {}


def test_a_model_under_two_ids_counts_once():
    entries = {"a_1": entry(1), "again": entry(1), "a_2": entry(2)}
    assert list(methods_of(entries, entries).values()) == [{"a_1": 1, "a_2": 2}]
    assert methods_of(["a_1", "again"], entries) == {}


@pytest.mark.parametrize(
    ("seeds", "name"),
    [
        ({"fashion_cutmix_1": 1, "fashion_cutmix_2": 2}, "fashion_cutmix"),
        ({"net_10": 10, "net_11": 11}, "net"),
        ({"net_seed_1": 1, "net_seed_2": 2}, "net"),
        ({"net_seed1": 1, "net_s2": 2}, "net"),
        ({"net_01": 1, "net_02": 2}, "net"),
        ({"net": 1, "net_2": 2}, "net"),
        ({"net_first": 1, "net_second": 2}, "net"),
        ({"net_16_first": 1, "net_16_second": 2}, "net_16"),
        ({"adam": 1, "bert": 2}, "adam"),
    ],
)
def test_the_name_is_the_id_without_the_seed(seeds, name):
    assert method_name(seeds) == name


def test_methods_whose_names_would_be_the_same_have_the_first_id():
    entries = {
        "net_a": entry(1),
        "net_b": entry(2),
        "net_c": entry(1, "mixup"),
        "net_d": entry(2, "mixup"),
    }
    assert list(methods_of(entries, entries)) == ["net_a", "net_c"]
