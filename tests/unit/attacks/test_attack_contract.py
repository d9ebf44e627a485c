"""What every attack promises, whatever it does."""

import inspect
from dataclasses import astuple, dataclass

import pytest
import torch
from torch import nn

from robusteval import plugins
from robusteval.batches import predict
from robusteval.models._errors import ModelError


@dataclass(frozen=True)
class Case:
    """Settings of an attack, and the passes that one image costs with them.

    The passes are exact, or, if ``bound`` says why, the most there can be.
    """

    settings: dict
    forwards: int
    backwards: int
    bound: str = ""
    ball: str = "linf"  # of those that have no setting for it

    @property
    def targeted(self):
        return self.settings.get("target") is not None

    @property
    def norm(self):
        """The ball that the images must stay in, if any."""
        return self.settings.get("norm", self.ball) if "eps" in self.settings else None


PACKED = ("nattack", "spsa")  # many images of a slot share a pass
STOPS = "stops where it has succeeded"
STALE = "leaves a constant that makes no progress, and needs no gradient where the margin suffices"
BUDGETS = "an attempt ends where it succeeds"
PGD = {"eps": 0.03, "step_size": 0.01, "steps": 5}
PGD_L2 = {"norm": "l2", "eps": 0.6, "step_size": 0.2, "steps": 5}
CW = {"steps": 8, "searches": 3, "initial_const": 0.01, "learning_rate": 0.01, "patience": 4}
EAD = {"steps": 5, "searches": 3, "initial_const": 0.008, "learning_rate": 0.02, "patience": 3}
AUTO = {"eps": 0.03, "target_classes": 3, "steps": 3, "queries": 6}
SEARCH = {"initial_eps": 0.006, "attempts": 3, "steps": 5}
PGD_L1 = {"eps": 4.0, "step_size": 1.0, "steps": 5, "share": 0.05}
WALK = {"queries": 16, "draws": 4, "eps": 4.5}
SETTINGS = {
    # A look 1; APGD 1 + 4; for three targets 1 + 3 * 5; FAB 1 + 3 * 9; Square 3 + 6.
    "autoattack": {"linf": Case(AUTO, 59, 25, STOPS)},
    "boundary": {"l2": Case(WALK, 18, 0, STOPS, ball="l2")},
    "confident": {
        "linf": Case(PGD, 6, 5),
        "l2_margin": Case(PGD_L2 | {"score": "margin"}, 6, 5),
        "linf_from_clean": Case(PGD | {"random_start": False}, 6, 5),
    },
    "cw_l2": {
        "plain": Case(CW, 25, 25, STALE),
        "warm_polished": Case(CW | {"steps": 4, "warm_start": True, "polish": 6}, 15, 15, STALE),
        "target": Case(CW | {"target": "runner_up", "kappa": 0.2}, 26, 25, STALE),
    },
    # The clean image and one a step; three of the four classes have a boundary with the label.
    "deepfool": {"all": Case({"steps": 2}, 3, 6, STOPS)},
    "ead": {
        "l1": Case(EAD, 30, 15, STALE),
        "en_target": Case(EAD | {"rule": "en", "target": "runner_up", "polish": 4}, 31, 15, STALE),
    },
    "fgsm": {
        "sign": Case({"eps": 0.03}, 2, 1),
        "target": Case({"eps": 0.03, "target": "runner_up", "loss": "margin"}, 3, 1),
    },
    "ifgsm": {
        "sign": Case({"eps": 0.025, "steps": 4}, 5, 4),
        "target": Case({"eps": 0.05, "steps": 4, "target": "random", "loss": "logit"}, 6, 4),
    },
    "ifgsm_search": {
        "early": Case(SEARCH, 16, 13, BUDGETS),
        "nominal": Case(SEARCH | {"early_stop": False}, 16, 13),
        "warm": Case(SEARCH | {"warm_start": True, "target": "random"}, 17, 15, BUDGETS),
    },
    "mi_fgsm": {"sign": Case({"eps": 0.025, "steps": 4}, 5, 4)},
    "nattack": {
        "target": Case(
            {"eps": 0.1, "steps": 4, "population": 9, "learning_rate": 0.3, "target": "runner_up"},
            42,
            0,
            STOPS,
        ),
    },
    "pgd": {
        "linf": Case(PGD, 6, 5),
        "l2": Case(PGD_L2, 6, 5),
        "linf_from_clean": Case(PGD | {"random_start": False}, 6, 5),
        "linf_early": Case(PGD | {"early_stop": True}, 6, 5, STOPS),
        "l2_early": Case(PGD_L2 | {"early_stop": True}, 6, 5, STOPS),
        "target": Case(PGD | {"eps": 0.05, "target": "least_likely"}, 7, 5),
    },
    "pgd_l1": {
        "early": Case(
            PGD_L1 | {"early_stop": True, "share": 0.2, "random_start": True},
            6,
            5,
            STOPS,
            ball="l1",
        ),
        "target": Case(PGD_L1 | {"target": "runner_up"}, 7, 5, ball="l1"),
    },
    "spsa": {
        "plain": Case({"eps": 0.15, "steps": 3, "samples": 6, "learning_rate": 0.1}, 40, 0, STOPS),
    },
    "square": {
        "linf": Case({"eps": 0.2, "queries": 12}, 13, 0, STOPS),
        "l2_target": Case(
            {"eps": 4.0, "norm": "l2", "queries": 12, "target": "runner_up"}, 14, 0, STOPS
        ),
    },
}
CASES = [
    pytest.param(name, case, id=f"{name}-{label}")
    for name, cases in SETTINGS.items()
    for label, case in cases.items()
]
every_attack = pytest.mark.parametrize(("name", "case"), CASES)


@pytest.fixture(scope="module")
def attack(model, images_and_labels, generators):
    """Runs an attack on the images with these ids."""
    images, labels = images_and_labels

    def run(name, case, ids=None, *, model=model, labels=labels, **options):
        ids = torch.arange(len(images)) if ids is None else ids
        return plugins.load("attacks", name)(
            model,
            images[ids],
            labels[ids],
            generators=generators(ids),
            **case.settings,
            **options,
        )

    return run


@pytest.fixture(scope="module")
def whole(attack):
    """Gives what an attack makes of all images; made once."""
    made = {}

    def get(name, case):
        key = name, repr(case)
        if key not in made:
            made[key] = attack(name, case)
        return made[key]

    return get


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
def test_result_has_the_promised_types(whole, images_and_labels, name, case):
    images, _ = images_and_labels
    result = whole(name, case)
    assert result.images.shape == images.shape
    assert result.images.dtype == torch.float32
    assert result.success.dtype == torch.bool
    counts = (result.steps, result.forwards, result.backwards, result.target, result.odd)
    assert all(count.dtype == torch.int64 for count in counts)
    assert all(values.shape == (len(images),) for values in (*counts, result.success))
    assert all(values.device.type == "cpu" for values in astuple(result))


@every_attack
def test_images_stay_in_range_and_in_the_ball(whole, images_and_labels, name, case):
    images, _ = images_and_labels
    result = whole(name, case)
    assert result.images.min() >= 0
    assert result.images.max() <= 1
    delta = (result.images.double() - images.double()).flatten(1)
    if case.norm == "l2":
        # The length is summed over 432 pixels and applied in float32: relative 1e-6. Each pixel is
        # then rounded by at most 2^-25, which adds at most 2^-25 * sqrt(432) = 6.2e-7.
        assert delta.norm(dim=1).max() <= case.settings["eps"] * (1 + 1e-6) + 6.2e-7
    if case.norm == "l1":
        # Each of 432 pixels is rounded by at most 2^-25, and the cut to [0, 1] brings none nearer.
        assert delta.abs().sum(1).max() <= case.settings["eps"] + 432 * 2**-25
    if case.norm == "linf":
        # A pixel below 1 is rounded by at most 2^-25 = 3.0e-8, eps by less than that.
        assert delta.abs().max() <= case.settings["eps"] + 6e-8
    right = ~result.success | (result.steps > 0)  # others were wrong before the first step
    assert (delta != 0).any(1)[right].all()  # a failed attack hands back no clean image, either


@every_attack
def test_attack_succeeds_on_some_and_fails_on_others(whole, model, images_and_labels, name, case):
    images, labels = images_and_labels
    clean_errors = predict(model, images).argmax(1) != labels
    assert clean_errors.float().mean() < 0.1
    assert 0.1 < whole(name, case).success.float().mean() < 1  # so that failures are tested as well


@every_attack
def test_success_is_what_the_returned_images_do(whole, model, images_and_labels, name, case):
    result = whole(name, case)
    predicted = predict(model, result.images).argmax(1)
    expected = predicted == result.target if case.targeted else predicted != images_and_labels[1]
    assert torch.equal(result.success, expected)


@every_attack
def test_a_target_is_another_class(whole, images_and_labels, name, case):
    target = whole(name, case).target
    if not case.targeted:
        assert (target == -1).all()
    else:
        assert ((target >= 0) & (target < 4)).all()
        assert (target != images_and_labels[1]).all()


@every_attack
def test_nothing_is_odd_about_a_sound_model(whole, name, case):
    assert (whole(name, case).odd == 0).all()


@every_attack
def test_same_input_same_bits(attack, whole, name, case):
    assert equal(whole(name, case), attack(name, case))


@every_attack
def test_order_does_not_matter(attack, whole, images_and_labels, name, case):
    order = torch.randperm(len(images_and_labels[0]), generator=torch.Generator().manual_seed(3))
    assert equal(whole(name, case), attack(name, case, order), order)


@every_attack
@pytest.mark.parametrize("size", [1, 7, 64])
def test_shards_do_not_matter(attack, whole, name, case, size):
    expected = whole(name, case)
    for shard in torch.arange(len(expected.images)).split(size)[-4:]:
        assert equal(expected, attack(name, case, shard), shard)


@every_attack
@pytest.mark.parametrize("batch_size", [1, 7, 16, 64, 256])
def test_batch_size_does_not_matter(attack, whole, name, case, batch_size):
    assert equal(whole(name, case), attack(name, case, batch_size=batch_size))


@every_attack
def test_neighbours_do_not_matter(attack, whole, name, case):
    """Image 5 among copies of image 9, instead of among all."""
    crowd = torch.full((40,), 9)
    crowd[17] = 5
    result = attack(name, case, crowd)
    assert equal(whole(name, case), result, crowd)


@every_attack
def test_memory_layout_does_not_matter(whole, model, images_and_labels, generators, name, case):
    images, labels = images_and_labels
    turned = images.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2)  # as read from N, H, W, C
    result = plugins.load("attacks", name)(
        model, turned, labels, generators=generators(torch.arange(len(labels))), **case.settings
    )
    assert result.images.is_contiguous()
    assert equal(whole(name, case), result)


@every_attack
def test_input_is_not_changed(attack, images_and_labels, name, case):
    images, labels = images_and_labels
    before = images.clone(), labels.clone()
    result = attack(name, case)
    result.images.zero_()
    assert torch.equal(images, before[0])
    assert torch.equal(labels, before[1])


@every_attack
def test_model_is_not_touched(attack, model, name, case):
    bias = model[0].bias
    bias.requires_grad_(False)
    model[7].bias.grad = torch.ones(4)
    before = {key: value.clone() for key, value in model.state_dict().items()}
    try:
        attack(name, case)
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
def test_works_where_gradients_are_off(attack, whole, name, case):
    with torch.no_grad():
        result = attack(name, case)
    assert equal(whole(name, case), result)


@every_attack
def test_counters_agree_with_the_passes_made(attack, model, name, case):
    counting = Counting(model).eval()
    result = attack(name, case, model=counting, batch_size=16)
    assert set(counting.widths) == {16}
    if case.bound:
        assert result.forwards.max() <= case.forwards
        assert result.backwards.max() <= case.backwards
        assert result.forwards.sum() <= sum(counting.widths)
        assert result.backwards.sum() <= 16 * counting.backwards
        costs = result.forwards.unique(), result.backwards.unique()
        assert sum(len(values) for values in costs) > 2  # or the bound should be exact
    else:  # 80 images fill 5 batches of 16, so nothing is padding
        assert (result.forwards == case.forwards).all()
        assert (result.backwards == case.backwards).all()
        assert result.forwards.sum() == sum(counting.widths)
        assert result.backwards.sum() == 16 * counting.backwards


@every_attack
def test_padding_is_not_counted(attack, model, name, case):
    counting = Counting(model).eval()
    one = attack(name, case, torch.tensor([5]), model=counting)
    assert set(counting.widths) == {64}
    if name in PACKED:
        assert len(counting.widths) < int(one.forwards) < sum(counting.widths)
    else:
        assert int(one.forwards) == len(counting.widths)
    assert int(one.backwards) <= counting.backwards
    if not case.bound:
        assert int(one.backwards) == counting.backwards


@every_attack
def test_images_that_are_there_already(attack, model, images_and_labels, name, case):
    images, _ = images_and_labels
    there = predict(model, images).argmax(1)
    other = (there + 1) % 4
    case = Case(case.settings | {"target": there} if case.targeted else case.settings, 0, 0)
    result = attack(name, case, labels=other)
    if case.norm is None and not case.settings.get("kappa"):  # nothing is nearer than the image
        assert torch.equal(result.images, images) or name == "cw_l2"  # by way of tanh
    if (case.norm is None and not case.settings.get("kappa")) or case.settings.get("early_stop"):
        assert (result.steps == 0).all()
        assert (result.forwards == (2 if name == "ead" else 1)).all()  # that looks at x and at y
    assert result.success.all()


@every_attack
def test_nothing_in_nothing_out(attack, images_and_labels, name, case):
    result = attack(name, case, torch.arange(0))
    assert result.images.shape == (0, *images_and_labels[0].shape[1:])
    assert all(len(values) == 0 for values in astuple(result))


@every_attack
def test_progress_counts_up_to_all(attack, name, case):
    seen = []
    attack(name, case, progress=seen.append)
    assert min(seen) > 0
    assert sum(seen) == 80


@every_attack
def test_a_model_that_returns_nan_is_refused(attack, model, images_and_labels, name, case):
    bright = images_and_labels[0][:, 0, 0, 0] > 0.7  # no setting moves this pixel across 0.5
    first = int(bright.nonzero()[0])
    assert first > 0

    def change(x, logits):
        return torch.where(x[:, 0, 0, 0, None] > 0.5, logits / 0 * 0, logits)

    ids = torch.arange(80)[bright | (images_and_labels[0][:, 0, 0, 0] < 0.3)]
    where = int((ids == first).nonzero())
    with pytest.raises(ModelError, match=rf"logits are NaN for \d+ images, the first at {where}$"):
        attack(name, case, ids, model=Modified(model, change).eval())


@every_attack
def test_a_gradient_that_is_nan_is_refused(attack, model, name, case):
    def change(x, logits):
        return logits + (x - x).flatten(1).sum(1, keepdim=True).sqrt()  # slope of the root at 0

    if not case.backwards:
        pytest.skip("asks for no gradient")
    ids = torch.arange(5)
    case = Case(
        case.settings | ({"early_stop": False} if "early_stop" in case.settings else {}), 0, 0
    )
    with pytest.raises(ModelError, match=r"gradients are not finite for \d images, the first at"):
        attack(name, case, ids, model=Modified(model, change).eval())


@every_attack
def test_a_search_that_meets_nan_ends_there(attack, model, images_and_labels, name, case):
    """A model that falls silent after the first pass of the attack proper."""
    _, labels = images_and_labels
    loud = 1 + case.targeted
    calls = []

    def change(x, logits):
        calls.append(len(x))
        return logits if len(calls) <= loud else logits * torch.nan

    result = attack(
        name, case, torch.arange(16), model=Modified(model, change).eval(), batch_size=16
    )
    assert (result.odd == 2).sum() > 10  # the others were there after the first pass
    assert ((result.images >= 0) & (result.images <= 1)).all()
    assert (result.steps <= 1).all()
    predicted = predict(model, result.images).argmax(1)
    expected = predicted == result.target if case.targeted else predicted != labels[:16]
    assert torch.equal(result.success, expected)


@every_attack
def test_a_gradient_of_0_is_told(attack, model, name, case):
    if not case.backwards:
        pytest.skip("asks for no gradient")
    flat = Modified(model, lambda x, logits: logits.detach() + 0 * x.sum((1, 2, 3))[:, None])
    result = attack(name, case, model=flat.eval())
    asked = result.backwards > 0
    assert asked.sum() > 70
    assert (result.odd[asked] == 1).all()


@every_attack
@pytest.mark.parametrize(
    "change",
    [lambda x, z: z[:, 0], lambda x, z: z[:1], lambda x, z: z[:, :3]],
    ids=["no_classes", "one_row", "too_few_classes"],
)
def test_logits_of_a_wrong_shape_are_refused(attack, model, name, case, change):
    with pytest.raises(ModelError, match=r"logits have shape .* \(64, K\) with K at least 4"):
        attack(name, case, model=Modified(model, change).eval())


@every_attack
def test_training_mode_is_refused(attack, model, name, case):
    model[1].train()
    try:
        with pytest.raises(ValueError, match=r"training mode; call model\.eval"):
            attack(name, case)
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
    settings = next(iter(SETTINGS[name].values())).settings
    draws = generators(torch.arange(len(images)))
    with pytest.raises(ValueError, match=message):
        plugins.load("attacks", name)(model, images, labels, generators=draws, **settings)


@every_attack
def test_one_generator_an_image(model, images_and_labels, generators, name, case):
    images, labels = images_and_labels
    with pytest.raises(ValueError, match="3 generators for 80 images"):
        plugins.load("attacks", name)(
            model, images, labels, generators=generators(torch.arange(3)), **case.settings
        )


@every_attack
def test_batch_size_of_none_is_refused(attack, name, case):
    with pytest.raises(ValueError, match="batch size 0"):
        attack(name, case, batch_size=0)


def needs_a_target(name):
    if "target" not in inspect.signature(plugins.load("attacks", name)).parameters:
        pytest.skip("has no target")


@every_attack
def test_a_target_must_be_another_class(attack, images_and_labels, name, case):
    needs_a_target(name)
    target = (images_and_labels[1] + 1) % 4
    target[3] = images_and_labels[1][3]
    case = Case(case.settings | {"target": target}, 0, 0)
    with pytest.raises(ValueError, match="image 3: target 3 is its label; another class expected"):
        attack(name, case)


@every_attack
def test_unknown_targets_are_refused(attack, name, case):
    needs_a_target(name)
    case = Case(case.settings | {"target": "nearest"}, 0, 0)
    with pytest.raises(
        ValueError, match="target 'nearest': one of random, least_likely, runner_up"
    ):
        attack(name, case)
