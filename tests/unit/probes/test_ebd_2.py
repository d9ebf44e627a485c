import pytest
import torch
from torch import nn

from robusteval.models._errors import ModelError
from robusteval.probes.ebd_2 import ebd_2


class Line(nn.Module):
    """Logits 0, 50 (x_1 - 0.5) and, for a third class, 50 (x_2 - 0.6)."""

    def __init__(self, classes=2):
        super().__init__()
        self.classes = classes

    def forward(self, x):
        flat = x.flatten(1)
        logits = [0 * flat[:, 0], 50 * (flat[:, 0] - 0.5), 50 * (flat[:, 1] - 0.6)]
        return torch.stack(logits[: self.classes], 1)


IMAGE = torch.tensor([0.4902, 0.5]).view(1, 1, 1, 2)
ZERO = torch.zeros(1, dtype=torch.int64)


def one(model, image=IMAGE, label=ZERO, **settings):
    return ebd_2(model.eval(), image, label, **settings).to_dict("records")


def test_twenty_steps_by_hand():
    (row,) = one(Line())
    assert (row["steps"], row["status"], row["class"]) == (20, "ok", -1)
    # Twenty sums of 0.0005 in float32, each rounded to 3e-8.
    assert row["distance"] == pytest.approx(0.01, abs=1e-6)
    assert (row["forwards"], row["backwards"]) == (1 + 21, 20)


def test_an_image_that_holds_out_is_kept_with_a_lower_bound():
    (row,) = one(Line(), steps=10)
    assert (row["steps"], row["status"]) == (10, "not reached")
    assert row["distance"] == pytest.approx(0.005, abs=1e-6)  # ten such sums


def test_each_class_has_its_own_distance():
    rows = one(Line(3), per_class=True)
    assert [row["class"] for row in rows] == [-1, 1, 2]
    steps = [row["steps"] for row in rows]
    # Class 1 is 0.0098 away, so 20 steps; class 2 is 0.1 away, and x_1 goes down on the way.
    assert steps[:2] == [20, 20] and 200 <= steps[2] <= 202
    assert all(row["status"] == "ok" for row in rows)


def test_a_wrong_image_is_0_steps_from_its_label_but_not_from_its_prediction():
    (row,) = one(Line(), label=ZERO + 1, reference="label")
    assert (row["steps"], row["status"], row["prediction"]) == (0, "misclassified", 0)
    (row,) = one(Line(), label=ZERO + 1)
    assert (row["steps"], row["status"]) == (20, "ok")
    assert len(one(Line(3), label=ZERO + 1, reference="label", per_class=True)) == 1


def test_a_flat_model_says_so():
    class Flat(nn.Module):
        def forward(self, x):
            return torch.tensor([[1.0, 0.0]]) + 0 * x.flatten(1).sum(1, keepdim=True)

    (row,) = one(Flat(), steps=3)
    assert (row["steps"], row["distance"], row["status"]) == (3, 0, "no gradient")


def test_a_model_without_gradients_is_refused_with_what_works_without():
    class Hard(nn.Module):
        def forward(self, x):
            return Line()(x.detach())

    with pytest.raises(ModelError, match="no gradient with respect to the images: EBD-2 needs one"):
        one(Hard())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"reference": "truth"}, "reference 'truth': one of prediction, label"),
        ({"step_size": 0.0}, r"step_size 0\.0"),
        ({"steps": 0}, "steps 0"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(settings, message):
    with pytest.raises(ValueError, match=message):
        one(Line(), **settings)
