"""Trials of people and networks: shape bias, error consistency, numbers made of them again."""

import math

import pytest

from robusteval.published._comparison import FAIL, PASS
from robusteval.published._row import About
from robusteval.published.agreement import error_consistency, mean_error_consistency
from robusteval.published.recomputed.human_trials import human_trials
from robusteval.published.rows import import_file, read_folder
from robusteval.published.trials import Trial, accuracy, read_trials, shape_bias, write_trials

HEAD = "file,format,test,what,unit,n,preprocessing,source,licence,grade,note\n"
SKETCH = "model_vs_human_sketch"


def cue(image, response, shape="cat"):
    return Trial("subject-01", f"0001_s5n_dnn_0_{shape}_00_{image}.png", "0", shape, response)


def trials(subject, responses, condition="0"):
    """Return trials on photographs of dogs; each subject saw them in a session of its own."""
    return [
        Trial(subject, f"{i:04d}_sk_{subject}_{condition}_dog_00_photo{i}.png", condition, "dog", r)
        for i, r in enumerate(responses)
    ]


def test_shape_bias_of_two_cues_by_hand():
    """Three responses name the shape, one the texture; the others say nothing."""
    said = [
        cue("cat1-dog2", "cat"),
        cue("cat1-dog2", "cat"),
        cue("cat10-knife1", "cat"),
        cue("cat1-dog20", "dog"),
        cue("cat1-dog2", "na"),
        cue("cat1-cat2", "cat"),  # no conflict
        cue("cat", "cat"),  # no texture in the name
    ]
    assert shape_bias(said) == 3 / 4
    assert accuracy(said) == 5 / 7
    with pytest.raises(ValueError, match="2 trials with two cues: none of the responses"):
        shape_bias([cue("cat1-dog2", "na"), cue("cat1-dog2", "bird")])


def test_what_was_shown_is_the_photograph_not_the_session():
    one = Trial("a", "0001_cl_s01_bw_boat_40_n02951358_5952.JPEG", "bw", "boat", "na")
    two = Trial("b", "0777_cl_dnn_bw_boat_40_n02951358_5952.JPEG", "bw", "boat", "boat")
    assert one.shown == two.shown == ("n02951358_5952.JPEG", "bw")
    assert cue("cat1-dog2", "cat").shown == ("cat1-dog2.png", "0")


def test_error_consistency_by_hand():
    """Accuracies 3/4 and 1/2: expected agreement 1/2, observed 3/4, so kappa is a half."""
    first = {1: True, 2: True, 3: True, 4: False}
    second = {1: True, 2: True, 3: False, 4: False, 5: True}  # the fifth only one of them saw
    assert error_consistency(first, second) == 0.5
    assert error_consistency(second, first) == 0.5
    assert error_consistency(first, first) == 1
    assert error_consistency({1: True, 2: False}, {1: False, 2: True}) == -1
    assert math.isnan(error_consistency({1: True}, {1: True}))  # nobody ever erred
    pairs = [(first, second), (first, first), ({1: True}, {1: True})]
    assert mean_error_consistency(pairs) == 0.75
    assert math.isnan(mean_error_consistency([]))
    with pytest.raises(ValueError, match="4 and 1 images, none of them shared"):
        error_consistency(first, {9: True})


def test_trials_come_back_from_their_file(tmp_path):
    said = trials("net", ["dog", "cat"], "fog 3") + trials("net", ["dog"], "fog 4")
    write_trials(tmp_path / "net.csv", said)
    assert read_trials(tmp_path / "net.csv") == said
    rows = import_file(
        tmp_path / "net.csv", "model_vs_human", About("us", "MIT", test="imagenet_c")
    )
    assert {r.condition: float(r.printed) for r in rows if r.condition} == {
        "fog 3": 0.5,
        "fog 4": 1.0,
    }


@pytest.fixture
def folder(tmp_path):
    """List the trials of two persons and of a network, a file each: right 3, 2 and 1 of 4."""
    tables = tmp_path / "tables"
    tables.mkdir()
    lines = HEAD
    for subject, responses in (
        ("subject-01", ["dog", "dog", "dog", "cat"]),
        ("subject-02", ["dog", "dog", "na", "cat"]),
        ("net", ["dog", "cat", "cat", "cat"]),
    ):
        write_trials(tables / f"{subject}.csv", trials(subject, responses))
        lines += f"{subject}.csv,model_vs_human,{SKETCH},,,,,us,MIT,file,\n"
    (tables / "sources.csv").write_text(lines)
    return tmp_path


def test_numbers_on_trials_are_recomputed_from_them(row, folder):
    """Kappa of the persons .5; of the net and each of them: .2 and .5, mean .35."""
    right = [
        row("0.6250", model="people", test=SKETCH, unit="fraction"),
        row("0.500", model="people", what="error_consistency", test=SKETCH, unit="number"),
        row("0.350", model="net and people", what="error_consistency", test=SKETCH, unit="number"),
        row(
            "0.20", model="net and subject-01", what="error_consistency", test=SKETCH, unit="number"
        ),
    ]
    others = [
        row("0.5", model="people", test="model_vs_human_edge", unit="fraction"),
        row("0.5", model="nobody", test=SKETCH, unit="fraction"),
    ]
    compared = human_trials([*right, *others, *read_folder(folder)], folder=folder)
    assert [(c.model, c.what) for c in compared] == [(r.model, r.what) for r in right]
    assert {c.verdict for c in compared} == {PASS}
    assert compared[0].ours == 62.5  # shares are in percent
    altered = [row(f"{r.value + 0.1:.3f}", **said_of(r)) for r in right]
    assert {c.verdict for c in human_trials(altered, folder=folder)} == {FAIL}
    assert human_trials(right, folder=folder / "tables") == []


def said_of(row):
    return {"model": row.model, "what": row.what, "test": row.test, "unit": row.unit}
