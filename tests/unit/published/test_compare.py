"""PASS, EXPLAINED, FAIL: which, and for which reason."""

import math

import pytest

from robusteval.intervals import wilson
from robusteval.published._comparison import EXPLAINED, FAIL, PASS
from robusteval.published.compare import compare, compare_all
from robusteval.published.measured import Measured
from robusteval.published.names import meant, names_of, same_weights

IMAGENET = "imagenet_validation"


def ours(percent, **said):
    known = {"what": "accuracy", "model": "m", "test": IMAGENET, "condition": "", "n": 50_000}
    return Measured(**{**known, **said}, percent=percent)


def test_the_whole_set_leaves_rounding_and_pipelines(row):
    theirs = row("71.13")
    # Half a digit of each, .005 and .005, and .05 between pipelines.
    assert compare(ours(71.19), theirs).verdict == PASS
    failed = compare(ours(71.20), theirs)
    assert (failed.verdict, failed.tolerance) == (FAIL, pytest.approx(0.06, rel=1e-12))
    assert failed.reason.startswith("no known cause beyond: rounding; 0.05 between public")
    assert failed.difference == pytest.approx(0.07, abs=1e-9)  # of float64


def test_fewer_images_have_a_sampling_interval(row):
    compared = compare(ours(69.0, n=1_000), row("71.13"))
    assert compared.verdict == PASS
    assert "95% interval at 1,000 of 50,000 images" in compared.reason
    low, _ = wilson(690, 1_000)  # the wider side; 1 in 50 of the images was drawn
    expected = (69 - 100 * low) * math.sqrt(1 - 1 / 50) + 0.06
    assert compared.tolerance == pytest.approx(expected, rel=1e-9)  # float64
    assert compare(ours(67.0, n=1_000), row("71.13")).verdict == FAIL
    # RobustBench took 5,000, another 5,000 than ours.
    both = compare(ours(71.0, n=5_000), row("72.2", n=5_000))
    assert both.verdict == PASS and "two samples of 5,000 images" in both.reason


def test_a_mean_takes_its_own_interval(row):
    mce = {"what": "mce", "test": "imagenet_c", "condition": "fifteen, baseline a"}
    theirs = row("71.70", **mce)
    few = ours(73.0, n=1_000, low=71.4, high=74.6, **mce)
    assert compare(few, theirs).verdict == PASS
    assert compare(ours(73.0, n=50_000, low=71.4, high=74.6, **mce), theirs).verdict == FAIL


@pytest.mark.parametrize(
    ("measured", "published", "percent", "cause"),
    [
        (
            {"preprocessing": "224 px, crop 0.95, bicubic"},
            {"preprocessing": "224 px, crop 0.875, bilinear"},
            1.0,
            "another crop or interpolation",
        ),
        (
            {"preprocessing": "288 px, crop 1, bicubic"},
            {"preprocessing": "224 px, crop 0.95, bicubic"},
            3.0,
            "images of another size",
        ),
        (
            {"test": "imagenet_c", "condition": "fog 3", "built": True},
            {"test": "imagenet_c", "condition": "fog 3"},
            3.0,
            "corrupted images made here; the released ones went through JPEG",
        ),
        (
            {"what": "robust_accuracy", "condition": "linf 4/255"},
            {"what": "robust_accuracy", "condition": "linf 4/255, autoattack"},
            20.0,
            "a weaker attack than AutoAttack leaves more accuracy",
        ),
        ({"test": "stylized_imagenet"}, {"test": "stylized_imagenet"}, -13.0, "two different"),
    ],
)
def test_a_known_cause_explains_up_to_its_bound(row, measured, published, percent, cause):
    theirs = row("50.00", **published)
    explained = compare(ours(50 + percent, **measured), theirs)
    assert explained.verdict == EXPLAINED and explained.reason.startswith(cause)
    beyond = 50 - 45 * math.copysign(1, percent)  # no cause moves a number so far that way
    assert compare(ours(beyond, **measured), theirs).verdict == FAIL
    if "preprocessing" in measured:
        bare = {key: "" for key in measured}
        assert compare(ours(50 + percent, **bare), theirs).verdict == FAIL


def test_an_attack_that_is_stronger_than_autoattack_is_a_failure(row):
    theirs = row("35.00", what="robust_accuracy", condition="linf 4/255, autoattack")
    weak = ours(20.0, what="robust_accuracy", condition="linf 4/255")
    assert compare(weak, theirs).verdict == FAIL


def test_a_fraction_against_a_percentage_is_said(row):
    assert "a fraction against a percentage?" in compare(ours(71.1), row("0.7113")).reason


def test_only_the_same_thing_of_the_same_weights_is_compared(row):
    rows = [
        row("71.13", model="plain"),
        row("23.87", model="plain", what="error"),
        row("71.15", model="resnet50.tv_in1k"),
        row("80.00", model="other"),
        row("63.20", model="resnet50.tv_in1k", test="imagenet_v2"),
        row("1.00", model="m", what="robust_accuracy", condition="linf 4/255, autoattack"),
    ]
    measured = [ours(71.14), ours(1.0, what="robust_accuracy", condition="linf 4/255")]
    names = {"m": ["m", "resnet50.tv_in1k"]}
    compared = compare_all(measured, rows, names, {"plain": "resnet50.tv_in1k"})
    assert [(c.what, c.theirs) for c in compared] == [
        ("accuracy", 71.13),
        ("accuracy", 71.15),
        ("robust_accuracy", 1.0),
    ]
    assert {c.model for c in compared} == {"m"} and {c.verdict for c in compared} == {PASS}


def test_of_a_model_at_several_sizes_the_one_that_was_measured(row):
    seen = {224: "224 px, crop 0.875, bilinear", 288: "288 px, crop 1, bilinear"}
    rows = [row(f"{70 + i}.00", model="m", preprocessing=p) for i, p in enumerate(seen.values())]
    rows.append(row("75.00", model="m", source="another paper"))
    (one, other) = compare_all([ours(70.0, preprocessing=seen[224])], rows, {}, {})
    assert (one.theirs, other.theirs) == (70.0, 75.0)
    unlike = compare_all([ours(70.0, preprocessing="256 px, crop 1, bicubic")], rows[:2], {}, {})
    assert len(unlike) == 2  # neither is ours: both are shown, with the cause


def test_under_which_names_weights_are_published():
    entry = {
        "arguments": {"name": "tf_net"},
        "published_accuracy": {"value": 0.7, "source": "timm, results-imagenet.csv, tf_net.in1k"},
    }
    assert names_of("net", entry) == ["net", "tf_net.in1k"]  # an architecture is no weights
    assert names_of("net", {"arguments": {"name": "a.tag"}, "published_as": ["b"]}) == [
        "net",
        "b",
        "a.tag",
    ]
    assert names_of("net", {"arguments": {"name": "a.tag"}, "training": {}}) == ["net"]
    same = {"x": "head", "y": "head", "z": "tail"}
    assert meant(["y"], same) == {"x", "y", "head"}
    assert meant(["unheard"], same) == {"unheard"}


def test_the_projects_list_of_names(published):
    same = same_weights(published)
    assert same["Standard_R50"] == same["resnet50_vanilla"]
    assert same_weights(published / "nowhere") == {}
