"""What every attack promises, whatever it does."""

from dataclasses import astuple

import pytest
import torch
from torch import nn

from robusteval import plugins
from robusteval.batches import predict
from robusteval.models._errors import ModelError

PGD = {"eps": 0.03, "step_size": 0.01, "steps": 5}
PGD_L2 = {"norm": "l2", "eps": 0.6, "step_size": 0.2, "steps": 5}
SETTINGS = {
    "fgsm": {"sign": {"eps": 0.03}},
    "pgd": {
        "linf": PGD,
        "l2": PGD_L2,
        "linf_from_clean": PGD | {"random_start": False},
        "linf_early": PGD | {"early_stop": True},
        "l2_early": PGD_L2 | {"early_stop": True},
    },
}
CASES = [
    pytest.param(name, settings, id=f"{name}-{case}")
    for name, cases in SETTINGS.items()
    for case, settings in cases.items()
]
every_attack = pytest.mark.parametrize(("name", "settings"), CASES)


@pytest.fixture
def attack(model, images_and_labels, generators):
    """Runs an attack on the images with these ids."""
    images, labels = images_and_labels

    def run(name, settings, ids=None, *, model=model, labels=labels, **options):
        ids = torch.arange(len(images)) if ids is None else ids
        return plugins.load("attacks", name)(
            model, images[ids], labels[ids], generators=generators(ids), **settings, **options
        )

    return run


class Counting(nn.Module):
    """Counts the passes that a model really makes."""

    def __init__(self, model):
        super().__init__()
        self.model = model
        self.widths = []
        self.backwards = 0

    def forward(self, x):
        self.widths.append(len(x))
        logits = self.model(x)
        if logits.requires_grad:
            logits.register_hook(self.count_backward)
        return logits.clone()

    def count_backward(self, gradient):
        self.backwards += 1


class Modified(nn.Module):
    """A model with something done to its logits."""

    def __init__(self, model, change):
        super().__init__()
        self.model = model
        self.change = change

    def forward(self, x):
        return self.change(x, self.model(x))


def equal(one, other, chosen=slice(None)):
    """Whether ``other`` holds the very bits of the ``chosen`` images of ``one``."""
    return all(torch.equal(a[chosen], b) for a, b in zip(astuple(one), astuple(other), strict=True))


def test_every_attack_is_here():
    assert sorted(SETTINGS) == plugins.names("attacks")


@every_attack
def test_result_has_the_promised_types(attack, images_and_labels, name, settings):
    images, _ = images_and_labels
    result = attack(name, settings)
    assert result.images.shape == images.shape
    assert result.images.dtype == torch.float32
    assert result.success.dtype == torch.bool
    for count in (result.steps, result.forwards, result.backwards):
        assert count.dtype == torch.int64
    for values in (result.steps, result.forwards, result.backwards, result.success):
        assert values.shape == (len(images),)
    assert all(values.device.type == "cpu" for values in astuple(result))


@every_attack
def test_images_stay_in_range_and_in_the_ball(attack, images_and_labels, name, settings):
    images, _ = images_and_labels
    result = attack(name, settings)
    assert result.images.min() >= 0
    assert result.images.max() <= 1
    delta = (result.images.double() - images.double()).flatten(1)
    if settings.get("norm") == "l2":
        # The length is summed over 432 pixels and applied in float32: relative 1e-6. Each pixel is
        # then rounded by at most 2^-25, which adds at most 2^-25 * sqrt(432) = 6.2e-7.
        assert delta.norm(dim=1).max() <= settings["eps"] * (1 + 1e-6) + 6.2e-7
    else:
        # A pixel below 1 is rounded by at most 2^-25 = 3.0e-8, eps by less than that.
        assert delta.abs().max() <= settings["eps"] + 6e-8
    assert (delta != 0).any()


@every_attack
def test_attack_lowers_accuracy(attack, model, images_and_labels, name, settings):
    images, labels = images_and_labels
    clean_errors = predict(model, images).argmax(1) != labels
    assert clean_errors.float().mean() < 0.1
    success = attack(name, settings).success
    assert 0.3 < success.float().mean() < 1  # some fail, so that failures are tested as well


@every_attack
def test_success_is_what_the_returned_images_do(attack, model, images_and_labels, name, settings):
    result = attack(name, settings)
    wrong = predict(model, result.images).argmax(1) != images_and_labels[1]
    assert torch.equal(result.success, wrong)


@every_attack
def test_same_input_same_bits(attack, name, settings):
    assert equal(attack(name, settings), attack(name, settings))


@every_attack
def test_order_does_not_matter(attack, images_and_labels, name, settings):
    order = torch.randperm(len(images_and_labels[0]), generator=torch.Generator().manual_seed(3))
    assert equal(attack(name, settings), attack(name, settings, order), order)


@every_attack
@pytest.mark.parametrize("size", [1, 7, 64])
def test_shards_do_not_matter(attack, name, settings, size):
    whole = attack(name, settings)
    for shard in torch.arange(len(whole.images)).split(size)[-12:]:
        assert equal(whole, attack(name, settings, shard), shard)


@every_attack
@pytest.mark.parametrize("batch_size", [1, 7, 16, 64, 256])
def test_batch_size_does_not_matter(attack, name, settings, batch_size):
    assert equal(attack(name, settings), attack(name, settings, batch_size=batch_size))


@every_attack
def test_neighbours_do_not_matter(attack, name, settings):
    """Image 5 among copies of image 9, instead of among all."""
    crowd = torch.full((40,), 9)
    crowd[17] = 5
    result = attack(name, settings, crowd)
    assert equal(attack(name, settings), result, crowd)


@every_attack
def test_memory_layout_does_not_matter(
    attack, model, images_and_labels, generators, name, settings
):
    images, labels = images_and_labels
    turned = images.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)  # as read from N, H, W, C
    result = plugins.load("attacks", name)(
        model, turned, labels, generators=generators(torch.arange(len(labels))), **settings
    )
    assert result.images.is_contiguous()
    assert equal(attack(name, settings), result)


@every_attack
def test_input_is_not_changed(attack, images_and_labels, name, settings):
    images, labels = images_and_labels
    before = images.clone(), labels.clone()
    result = attack(name, settings)
    result.images.zero_()
    assert torch.equal(images, before[0])
    assert torch.equal(labels, before[1])


@every_attack
def test_model_is_not_touched(attack, model, name, settings):
    bias = model[0].bias
    bias.requires_grad_(False)
    model[7].bias.grad = torch.ones(4)
    before = {key: value.clone() for key, value in model.state_dict().items()}
    try:
        attack(name, settings)
        assert not bias.requires_grad
        assert all(p.requires_grad for p in model.parameters() if p is not bias)
        assert torch.equal(model[7].bias.grad, torch.ones(4))
        assert all(p.grad is None for p in model.parameters() if p is not model[7].bias)
        assert not any(module.training for module in model.modules())
        assert all(torch.equal(value, before[key]) for key, value in model.state_dict().items())
    finally:
        bias.requires_grad_(True)
        model[7].bias.grad = None


@every_attack
def test_works_where_gradients_are_off(attack, name, settings):
    with torch.no_grad():
        result = attack(name, settings)
    assert equal(attack(name, settings), result)


@every_attack
def test_counters_agree_with_the_passes_made(attack, model, name, settings):
    counting = Counting(model).eval()
    result = attack(name, settings, model=counting, batch_size=16)
    assert set(counting.widths) == {16}
    assert torch.equal(result.forwards, result.steps + 1)  # the last one gives the verdict
    assert torch.equal(result.backwards, result.steps)
    if settings.get("early_stop"):
        assert result.forwards.sum() <= sum(counting.widths)
        assert result.backwards.sum() <= 16 * counting.backwards
        assert result.steps.unique().numel() > 2
    else:  # 80 images fill 5 batches of 16, so nothing is padding
        assert torch.equal(result.steps, torch.full((80,), settings.get("steps", 1)))
        assert result.forwards.sum() == sum(counting.widths)
        assert result.backwards.sum() == 16 * counting.backwards


@every_attack
def test_padding_is_not_counted(attack, model, name, settings):
    counting = Counting(model).eval()
    one = attack(name, settings, torch.tensor([5]), model=counting)
    assert set(counting.widths) == {64}
    assert int(one.forwards) == len(counting.widths)
    assert int(one.backwards) == counting.backwards


@every_attack
def test_images_that_are_wrong_already(attack, model, images_and_labels, name, settings):
    images, _ = images_and_labels
    wrong = (predict(model, images).argmax(1) + 1) % 4
    result = attack(name, settings, labels=wrong)
    assert result.success.all()
    if settings.get("early_stop"):
        assert (result.steps == 0).all()
        assert (result.forwards == 1).all()


@every_attack
def test_nothing_in_nothing_out(attack, images_and_labels, name, settings):
    result = attack(name, settings, torch.arange(0))
    assert result.images.shape == (0, *images_and_labels[0].shape[1:])
    assert all(len(values) == 0 for values in astuple(result))


@every_attack
def test_progress_counts_up_to_all(attack, name, settings):
    seen = []
    attack(name, settings, progress=seen.append)
    assert min(seen) > 0
    assert sum(seen) == 80


@every_attack
def test_a_model_that_returns_nan_is_refused(attack, model, images_and_labels, name, settings):
    bright = images_and_labels[0][:, 0, 0, 0] > 0.7  # no setting moves this pixel across 0.5
    first = int(bright.nonzero()[0])
    assert first > 0

    def change(x, logits):
        return torch.where(x[:, 0, 0, 0, None] > 0.5, logits / 0 * 0, logits)

    ids = torch.arange(80)[bright | (images_and_labels[0][:, 0, 0, 0] < 0.3)]
    where = int((ids == first).nonzero())
    with pytest.raises(ModelError, match=rf"logits are NaN for \d+ images, the first at {where}$"):
        attack(name, settings, ids, model=Modified(model, change).eval())


@every_attack
def test_a_gradient_that_is_nan_is_refused(attack, model, name, settings):
    def change(x, logits):
        return logits + (x - x).flatten(1).sum(1, keepdim=True).sqrt()  # slope of the root at 0

    ids = torch.arange(5)
    settings = {key: value for key, value in settings.items() if key != "early_stop"}
    with pytest.raises(ModelError, match=r"gradients are not finite for 5 images, the first at 0$"):
        attack(name, settings, ids, model=Modified(model, change).eval())


@every_attack
@pytest.mark.parametrize(
    "change",
    [lambda x, z: z[:, 0], lambda x, z: z[:1], lambda x, z: z[:, :3]],
    ids=["no_classes", "one_row", "too_few_classes"],
)
def test_logits_of_a_wrong_shape_are_refused(attack, model, name, settings, change):
    with pytest.raises(ModelError, match=r"logits have shape .* \(64, K\) with K at least 4"):
        attack(name, settings, model=Modified(model, change).eval())


@every_attack
def test_training_mode_is_refused(attack, model, name, settings):
    model[1].train()
    try:
        with pytest.raises(ValueError, match=r"training mode; call model\.eval"):
            attack(name, settings)
    finally:
        model.eval()


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        (torch.zeros(2, 3, 12, 12, dtype=torch.uint8), torch.zeros(2, dtype=torch.int64), "uint8"),
        (torch.zeros(3, 12, 12), torch.zeros(3, dtype=torch.int64), r"\(3, 12, 12\)"),
        (torch.full((2, 3, 12, 12), 1.5), torch.zeros(2, dtype=torch.int64), "such as 1.5"),
        (torch.full((2, 3, 12, 12), -0.5), torch.zeros(2, dtype=torch.int64), "such as -0.5"),
        (torch.full((2, 3, 12, 12), torch.nan), torch.zeros(2, dtype=torch.int64), "such as nan"),
        (torch.zeros(2, 3, 12, 12), torch.zeros(3, dtype=torch.int64), r"\(2,\) expected"),
        (torch.zeros(2, 3, 12, 12), torch.zeros(2), "float32"),
        (torch.zeros(2, 3, 12, 12), torch.full((2,), -1), "label -1"),
    ],
    ids=["uint8", "no_batch", "above", "below", "nan", "label_count", "label_type", "no_class"],
)
def test_unusable_arguments_are_refused(model, generators, name, images, labels, message):
    settings = next(iter(SETTINGS[name].values()))
    draws = generators(torch.arange(len(images)))
    with pytest.raises(ValueError, match=message):
        plugins.load("attacks", name)(model, images, labels, generators=draws, **settings)


@every_attack
def test_one_generator_an_image(model, images_and_labels, generators, name, settings):
    images, labels = images_and_labels
    with pytest.raises(ValueError, match="3 generators for 80 images"):
        plugins.load("attacks", name)(
            model, images, labels, generators=generators(torch.arange(3)), **settings
        )


@every_attack
def test_batch_size_of_none_is_refused(attack, name, settings):
    with pytest.raises(ValueError, match="batch size 0"):
        attack(name, settings, batch_size=0)
