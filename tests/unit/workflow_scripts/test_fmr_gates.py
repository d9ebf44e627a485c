"""What gates are held against, from rows of the table of FMR."""

import pytest

from workflow_scripts import _fmr_gates
from workflow_scripts._fmr_gates import gates
from workflow_scripts.tabulate_fmr import _errors, columns_of

COLUMNS = columns_of("")
ORACLE = {"test": "t", "generator": "g", "oracle": "o", "margin_points": 3.0, "best_model": "a"}
ORACLE |= {"accuracy_pct_higher_better": 95.0}
ORACLE |= dict.fromkeys(f"training_images_of_{k}" for k in ("oracle", "models_at_most"))


def searched(model, test="t", fmr=50.0, **values):
    """Return a row of a search that went well, with the same value for all scores."""
    row = {"model": model, "test": test, "generator": "g", "oracle": "o", "control": ""}
    row |= {"step": "sign", "step_size": 0.1, "budget": 5, "latents_that_may_move_pct": 100.0}
    row |= dict.fromkeys(COLUMNS.values(), fmr)
    return {**row, "valid_but_rejected_on_reload": 0, "status": "ok", **values}


@pytest.fixture
def held(monkeypatch):
    """Return the gates of a table, by what they say."""
    monkeypatch.setattr(_fmr_gates, "_order", lambda *a: {"what": "order", "holds": "yes"})

    def by_what(*rows, methods=None):
        found = gates([ORACLE], list(rows), COLUMNS, {}, methods or {})
        return {row["what"]: row for row in found}

    return by_what


def test_a_search_that_failed_is_missing_from_what_is_printed(held):
    failed = {**searched("b"), "status": "the logits are NaN"}
    what = "scores, valid images and accepted steps printed, models"
    assert held(searched("a"), searched("b"))[what]["holds"] == "yes"
    row = held(searched("a"), failed)[what]
    assert (row["figure"], row["bar"], row["holds"]) == (1, "at least 2", "no")


def test_a_model_without_other_seeds_counts_as_one(held):
    three = [searched(model) for model in ("a", "b", "c")]
    methods = {"m": ["a", "b", "c"]}
    assert held(*three, methods=methods)["seeds of each method"]["holds"] == "yes"
    row = held(*three, searched("d"), methods=methods)["seeds of each method"]
    assert (row["figure"], row["holds"]) == (1, "no")


@pytest.mark.parametrize("other", [{"step": "adam"}, {"latents_that_may_move_pct": 2.0}])
def test_settings_are_chosen_among_searches_of_the_same_kind(held, other):
    tried = [
        searched("a", "choice", 40.0, step_size=0.1),
        searched("a", "choice", 45.0, step_size=0.3),
        searched("a", "choice", 90.0, step_size=0.1, **other),
        searched("a", "choice", 10.0, step_size=0.9, **other),
    ]
    row = held(searched("a"), *tried)["step size, budget of the lowest mean FMR on training images"]
    assert (row["figure"], row["bar"], row["holds"]) == ("0.1, 5", "0.1, 5", "yes")


def test_a_model_that_withstands_every_search_does_not_fail_the_gate_of_the_direction(held):
    control = {"control": "random direction"}
    weak, strong = searched("a", fmr=10.0), searched("b", fmr=100.0)
    row = held(
        weak, searched("a", fmr=90.0, **control), strong, searched("b", fmr=100.0, **control)
    )
    what = f"{_fmr_gates.ABOVE}, mean over models"
    assert (row[what]["figure"], row[what]["holds"]) == (40.0, "yes")
    row = held(strong, searched("b", fmr=100.0, **control))[what]
    assert (row["figure"], row["holds"]) == (0.0, "no")
    row = held(weak, searched("a", fmr=90.0, **control), strong)[what]  # one was not measured
    assert row["holds"] == "not measured"


def test_corruption_errors_are_of_one_test_and_part(tmp_path):
    lines = ["model,test,part,mean_error_pct_lower_better", "a,c,fifteen,30", "a,c,extra,20"]
    lines += ["b,c,,", "b,d,fifteen,40", "e,c,extra,10", "e,c,fifteen,50"]
    (tmp_path / "errors.csv").write_text("\n".join(lines))
    assert _errors([str(tmp_path / "errors.csv")]) == {"a": 30.0, "e": 50.0}
    assert _errors([]) == {}
