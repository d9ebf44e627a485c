"""CutMix: the box, the partners and the targets, on images of one value each."""

import pytest
import torch
from torch.nn import functional as F

from robusteval.training.cutmix import cutmix

LABELS = torch.arange(8) % 3
IMAGES = (torch.arange(8.0) / 8).view(-1, 1, 1, 1).expand(-1, 2, 6, 10)


def pasted(seed, **options):
    """Return the batch that the model is shown, what it answers and the loss."""
    seen = []

    def model(images):
        seen.append(images)
        return torch.stack([images.mean((1, 2, 3)), images[:, 0, 0, 0], images[:, 1, 5, 9]], dim=1)

    loss = cutmix(
        model, IMAGES, LABELS, rng=torch.Generator().manual_seed(seed), done=0.5, **options
    )
    return seen[0], model(seen[0]), loss


def foreign(batch):
    """Return which pixels (H, W) come from another image, and from which (N,)."""
    changed = batch != IMAGES
    box = changed.any(0).any(0)
    other = batch[:, 0][:, box].mean(1) if box.any() else IMAGES[:, 0, 0, 0]
    return box, (other * 8).round().long()


@pytest.mark.parametrize("seed", range(20))
def test_targets_are_blended_by_the_area_of_the_box(seed):
    batch, logits, loss = pasted(seed)
    box, other = foreign(batch)
    share = box.float().mean()
    own, theirs = F.cross_entropy(logits, LABELS), F.cross_entropy(logits, LABELS[other])
    # Float32 sums of 8 terms of about 1.
    torch.testing.assert_close(loss, (1 - share) * own + share * theirs, atol=1e-6, rtol=0)


def test_the_box_is_a_rectangle_of_one_other_image_in_all_channels():
    shares = []
    for seed in range(100):
        box, other = foreign(pasted(seed)[0])
        rows, columns = box.any(1), box.any(0)
        assert torch.equal(box, rows[:, None] & columns[None])
        assert sorted(other.tolist()) == list(range(8))
        expected = IMAGES.where(~box, IMAGES[other])
        # Seven eighths and the like are exact in float32.
        assert torch.equal(pasted(seed)[0], expected)
        for line in (rows, columns):
            assert int((line[1:] != line[:-1]).sum()) <= 2  # no gap
        shares.append(float(box.float().mean()))
    # A box of area a keeps (1 - sqrt(a) / 4)^2 of it on average, up to boxes that reach over both
    # borders; a uniform: 0.34. 100 shares with a deviation of about 0.25: known to 0.025.
    assert 0.25 < sum(shares) / 100 < 0.43
    assert min(shares) < 0.05 and max(shares) > 0.7


def test_a_large_alpha_gives_boxes_of_half_the_area():
    shares = [float(foreign(pasted(seed, alpha=1e4)[0])[0].float().mean()) for seed in range(60)]
    assert max(shares) <= 0.6  # half, rounded to whole pixels of 6 x 10
    assert max(shares) >= 0.4  # where the box lies within the image
