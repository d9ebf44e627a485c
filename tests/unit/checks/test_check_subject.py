import numpy as np
import pytest

from robusteval.checks._subject import logits_of, reason, subject_of
from robusteval.models._errors import ModelError


def test_the_logits_are_those_of_the_model(subject, model):
    good = subject()
    assert good.status == "ok" and good.logits.shape == (192, 12) and good.classes == 12
    assert np.mean(logits_of(good).argmax(1) == good.labels) > 0.95


def test_a_model_that_fails_has_no_logits_and_a_reason(subject, model, then):
    bad = subject(then(model, after=lambda z: z[:, :5]))
    assert bad.logits.shape == (0, 0)
    with pytest.raises(ModelError, match=r"logits of shape \(192, 5\)"):
        logits_of(bad)


@pytest.mark.parametrize(("n", "m"), [(0, 0), (2, 3)])
def test_a_label_for_each_image(n, m, model):
    images, labels = np.zeros((n, 12, 12, 3), np.uint8), np.zeros(m, np.int64)
    with pytest.raises(ValueError, match=f"{n} images and labels of shape \\({m},\\)"):
        subject_of(model, images, labels, card={"classes": ["a"]})


def test_an_error_is_one_line():
    assert reason(RuntimeError("a\n  b")) == "RuntimeError: a b"
    assert reason(ModelError("NaN")) == "NaN"
    assert reason(ModelError()) == "ModelError"
    assert reason(AssertionError()) == "AssertionError"
    assert reason(ValueError("x" * 300)) == f"ValueError: {'x' * 185}..."
