import pytest

from robusteval import plugins

PACKAGES = ["attacks", "corruptions", "models", "training", "images.novel", "images.sources"]
PACKAGES += ["images.unrecognisable", "images.layouts", "images.published", "metrics", "scores"]
PACKAGES += [
    "feature_scores",
    "figures",
    "checks",
    "perturbations",
    "probes",
    "published.recomputed",
]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_file_holds_the_function_of_its_name(package):
    assert plugins.names(package)
    for name in plugins.names(package):
        assert callable(plugins.load(package, name)), name


def test_an_unknown_id_is_answered_with_those_there_are():
    with pytest.raises(
        ValueError,
        match=r"unknown attacks 'pdg'; there are autoattack, boundary, confident, cw_l2, deepfool",
    ):
        plugins.load("attacks", "pdg")
