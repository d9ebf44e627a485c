"""Features are what the last layer takes, and asking for them changes nothing."""

import pytest
import torch
from torch import Tensor, nn

from robusteval.batches import predict
from robusteval.models._errors import ModelError
from robusteval.models._evaluate import answers, evaluate
from robusteval.models._features import WithFeatures
from robusteval.models.cnn import cnn


class Net(nn.Module):
    """Two linear layers in a row, of which only the second gives logits."""

    def __init__(self, last=None):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.last = nn.Linear(12, 3), last or nn.Linear(3, 3)

    def forward(self, images: Tensor) -> Tensor:
        logits: Tensor = self.last(self.first(images.flatten(1)).relu())
        return logits


class Scaled(Net):
    def forward(self, images: Tensor) -> Tensor:
        return 2 * super().forward(images)


@pytest.fixture
def images():
    return torch.rand(40, 3, 2, 2, generator=torch.Generator().manual_seed(1))


def test_features_lead_to_the_logits_which_stay_as_they_were(images):
    model = Net()
    alone, asked = predict(model, images), WithFeatures(model)
    for _ in range(2):  # the first pass finds the layer, the others know it
        both = predict(asked, images)
        assert both[:, :3].equal(alone) and asked.outputs == 3
        assert both[:, 3:].equal(
            predict(nn.Sequential(nn.Flatten(), model.first, nn.ReLU()), images)
        )
    weight, bias = asked.last_layer()
    # A product of three terms in another order.
    torch.testing.assert_close(both[:, 3:] @ weight.T + bias, alone, rtol=1e-5, atol=1e-6)


def test_a_last_layer_without_bias_has_one_of_zeros(images):
    asked = WithFeatures(Net(nn.Linear(3, 3, bias=False)))
    predict(asked, images)
    assert asked.last_layer()[1].tolist() == [0, 0, 0]


@pytest.mark.parametrize("model", [Scaled(), Net(nn.Identity()), nn.Flatten()])
def test_logits_that_no_linear_layer_returns_come_without_features(model, images):
    asked = WithFeatures(model.eval())
    both = predict(asked, images)
    assert asked.last_layer() is None and both.shape[1] == asked.outputs


def test_parts_are_kept_in_order_of_the_images(images):
    model = cnn(classes=4, shape=(8, 8, 1), width=4).eval()
    pictures = (torch.rand(70, 8, 8, 1) * 255).to(torch.uint8).numpy()
    kept = []
    asked = WithFeatures(model)
    blocks = (pictures[start : start + 30] for start in range(0, 70, 30))
    logits = evaluate(asked, blocks, classes=4, keep=lambda part: kept.append(torch.tensor(part)))
    features = torch.cat(kept)
    assert features.shape == (70, 4 * 16) and features.dtype == torch.float32
    assert (logits == evaluate(model, pictures, classes=4)).all()
    weight, bias = asked.last_layer()
    # Products of 64 terms in another order.
    torch.testing.assert_close(
        features @ weight.T + bias, torch.tensor(logits), rtol=1e-4, atol=1e-5
    )


def test_a_model_of_other_classes_is_still_refused(images):
    with pytest.raises(ModelError, match=r"logits of shape \(40, 3\)"):
        answers(WithFeatures(Net()), images, 5, 64, lambda part: None)
