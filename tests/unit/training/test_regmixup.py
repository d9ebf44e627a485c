import torch
from torch.nn import functional as F

from robusteval.training.mixup import mixup
from robusteval.training.regmixup import regmixup

IMAGES = torch.eye(16).view(16, 1, 4, 4)
LABELS = torch.arange(16) % 3
WEIGHTS = 3 * torch.linspace(0, 30, 48).view(16, 3).sin()


def model(images):
    return images.flatten(1) @ WEIGHTS


def loss(method, **options):
    return method(model, IMAGES, LABELS, rng=torch.Generator().manual_seed(4), done=0.5, **options)


def test_it_is_the_clean_loss_plus_the_mixup_loss():
    clean, mixed = F.cross_entropy(model(IMAGES), LABELS), loss(mixup, alpha=20.0)
    for eta in (0.0, 0.5, 1.0):
        # Float32 means of 16 terms of about 1.
        torch.testing.assert_close(loss(regmixup, eta=eta), clean + eta * mixed, atol=1e-6, rtol=0)
    assert abs(clean - mixed) > 0.01  # the two can be told apart


def test_clean_and_mixed_images_are_one_batch_near_half_and_half():
    seen = []
    regmixup(
        lambda images: seen.append(images) or model(images),
        IMAGES,
        LABELS,
        rng=torch.Generator().manual_seed(0),
        done=0.5,
    )
    (batch,) = seen
    assert torch.equal(batch[:16], IMAGES)
    own = batch[16:].flatten(1).diagonal()
    # Beta(20, 20) lies within 0.25 of a half but for one in a thousand.
    assert 0.25 < own.min() < 0.75
