"""DeepFool against foolbox and against the closed form of a linear model."""

import foolbox
import pytest
import torch

from robusteval.attacks.deepfool import deepfool
from robusteval.batches import predict


@pytest.mark.parametrize("candidates", [2, 4, 10])
def test_same_images_as_foolbox(model, images_and_labels, candidates):
    images, labels = images_and_labels
    right = predict(model, images).argmax(1) == labels
    images, labels = images[right][:64], labels[right][:64]
    attack = foolbox.attacks.L2DeepFoolAttack(steps=50, candidates=candidates, loss="logits")
    peer = foolbox.PyTorchModel(model, bounds=(0, 1))
    expected = attack.run(peer, images, foolbox.criteria.Misclassification(labels))
    found = deepfool(model, images, labels, candidates=candidates)
    assert found.success.all()
    # foolbox adds 1e-8 to lengths; a few steps of float32 rounding in slopes of this network.
    torch.testing.assert_close(found.images, expected, atol=1e-5, rtol=0)


def test_a_linear_model_is_crossed_at_its_nearest_point(linear):
    weight = torch.tensor([0.3, -0.4, 0.0, 1.2])
    x, label = torch.full((1, 1, 2, 2), 0.5), torch.zeros(1, dtype=torch.int64)
    found = deepfool(linear(weight), x, label)
    # The boundary is 0.1 / 1.3 away, along the weights; 1e-4 and 2% are gone beyond it.
    expected = x.flatten() + 1.02 * (0.1 / 1.3 + 1e-4) * weight / 1.3
    torch.testing.assert_close(found.images.flatten(), expected, atol=1e-6, rtol=0)  # float32
    assert bool(found.success) and found.steps.tolist() == [1]
    assert found.forwards.tolist() == [2] and found.backwards.tolist() == [1]


def test_impossible_settings_are_refused(model, images_and_labels):
    with pytest.raises(ValueError, match="candidates 1"):
        deepfool(model, *images_and_labels, candidates=1)
