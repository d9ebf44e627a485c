"""A study's AUROC by unknown set beside OpenOOD's, which is by group."""

from robusteval.published._comparison import FAIL, PASS
from robusteval.published.compare import compare_all
from robusteval.published.measured import Measured
from robusteval.published.openood_groups import openood_groups

IMAGENET = "imagenet_validation"


def auroc(unknown, percent, score="max_softmax", test=IMAGENET):
    return Measured("auroc", "net", test, f"{unknown}, {score}", percent, 50_000, 1.0, 99.0)


def test_a_group_is_the_mean_of_its_sets():
    near = [auroc("ssb_hard", 60.0), auroc("ninco", 70.5)]
    far = [auroc("inaturalist", 90.0), auroc("openimage_o", 80.0)]  # textures are missing
    other = Measured("accuracy", "net", IMAGENET, "", 55.5, 50_000)
    (mean,) = openood_groups([*near, *far, other])
    assert (mean.condition, mean.percent, mean.low) == ("near, MSP", 65.25, None)
    assert (mean.what, mean.model, mean.test, mean.n) == ("auroc", "net", IMAGENET, 50_000)
    assert list(openood_groups(near[:1])) == []
    mixed = [near[0], auroc("ninco", 70.5, score="energy")]
    assert list(openood_groups(mixed)) == []
    elsewhere = [auroc(n, 60.0, test="fashion_mnist_test") for n in ("ssb_hard", "ninco")]
    assert list(openood_groups(elsewhere)) == []


def test_it_is_held_against_an_imported_table(row):
    means = list(openood_groups([auroc("ssb_hard", 60.0), auroc("ninco", 70.5)]))
    known = {"what": "auroc", "model": "A, vit", "n": 50_000, "condition": "near, MSP"}
    for printed, verdict in (("65.25", PASS), ("65.35", FAIL)):
        (compared,) = compare_all(means, [row(printed, **known)], {}, {"A, vit": "net"})
        assert compared.verdict == verdict
