import numpy as np
import pytest

from robusteval.checks._run import run
from robusteval.checks.published_accuracy import published_accuracy


@pytest.fixture
def of(saying):
    """Make a subject with ``right`` of ``n`` images of two classes right."""

    def make(right, n, classes=2, **card):
        said = np.eye(classes)[(np.arange(n) >= right).astype(int)]
        return saying(said, np.zeros(n, int), **card)

    return make


def published(value):
    return {"published_accuracy": {"value": value, "source": "the paper"}}


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        (0.80, "ok"),
        (0.84, "ok"),  # Wilson's 99% interval of 160 of 200 is 71.8% to 86.3%
        (0.90, "look"),
        (0.95, "wrong"),
        (0.70, "look"),  # better than published: other images, or those of the training
    ],
)
def test_within_sampling_beside_it_and_far_below(of, value, verdict):
    finding = published_accuracy(of(160, 200, **published(value)))
    assert finding.verdict == verdict
    assert finding.found == (
        "80.0% of 200 images are right (99% interval 71.8% to 86.3%); "
        f"published are {value:.1%} (the paper)."
    )


def test_few_images_prove_nothing(of):
    assert published_accuracy(of(6, 8, **published(0.94))).verdict == "ok"


def test_no_published_value(of):
    finding = published_accuracy(of(160, 200))
    assert finding.verdict == "ok"
    assert finding.found.endswith("no published value is known.")


@pytest.mark.parametrize(("n", "verdict"), [(99, "ok"), (100, "look")])
def test_guessing_shows_without_a_published_value(of, n, verdict):
    finding = published_accuracy(of(n // 10, n, classes=10))
    assert finding.verdict == verdict
    assert ("may be guessing (10.0%)" in finding.found) == (verdict == "look")


@pytest.mark.parametrize("value", [76.1, -0.1, "much"])
def test_a_published_value_is_a_share(of, value):
    finding = run("published_accuracy", of(160, 200, **published(value)))
    assert finding.verdict == "wrong"
    assert "It could not be measured: " in finding.found
