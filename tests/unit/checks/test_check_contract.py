"""What holds for every check, found by its file."""

import inspect

import numpy as np
import pytest
import torch
from torch import nn

from robusteval import plugins
from robusteval.checks._finding import Finding
from robusteval.checks._run import run, run_all
from robusteval.models.cnn import cnn

NAMES = plugins.names("checks")
VERDICTS = {"ok", "look", "wrong"}


def broken(then, model):
    """Return models that fail in every way that comes to mind, by what is wrong with them."""

    def fail(images):
        raise RuntimeError("no\nsuch kernel")

    return {
        "raises": then(model, before=fail),
        "raises an assertion without words": then(model, before=lambda x: (_ for _ in ()).throw(
            AssertionError()
        )),
        "too few classes": then(model, after=lambda z: z[:, :5]),
        "no batch": then(model, after=lambda z: z[0]),
        "NaN": then(model, after=lambda z: z * torch.nan),
        "not a tensor": then(model, after=lambda z: {"logits": z}),
        "integers": then(model, after=lambda z: z.round().long()),
        "no weights": then(nn.Flatten(), after=lambda x: x[:, :12]),
    }  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_documentation_says_what_is_returned(name):
    assert inspect.getdoc(plugins.load("checks", name)).startswith("Return ")


@pytest.mark.parametrize("n", [1, 7, 192])
@pytest.mark.parametrize("name", NAMES)
def test_a_good_model_is_found_good_from_one_image_on(name, n, subject):
    finding = plugins.load("checks", name)(subject(n=n))
    assert (finding.check, finding.verdict) == (name, "ok"), finding.found


@pytest.mark.parametrize("name", NAMES)
def test_random_labels_of_few_images_raise_no_alarm(name, subject):
    labels = np.random.default_rng(3).integers(12, size=16)
    assert run(name, subject(n=16, labels=labels)).verdict == "ok"


@pytest.mark.parametrize("name", NAMES)
def test_a_bad_model_is_a_finding_of_two_sentences(name, subject, model, then):
    for what, bad in broken(then, model).items():
        finding = run(name, subject(bad.eval()))
        assert finding.check == name
        assert finding.verdict in VERDICTS
        for sentence in (finding.found, finding.why):
            assert sentence[-1] == "." and "\n" not in sentence and len(sentence) < 300, what


@pytest.mark.parametrize("what", ["raises", "too few classes", "no batch", "NaN", "not a tensor"])
def test_what_a_model_fails_at_is_wrong_and_said(what, subject, model, then):
    bad = subject(broken(then, model)[what].eval())
    verdicts = {finding.check: finding.verdict for finding in run_all(bad)}
    assert verdicts.pop("pixel_range") == "ok"  # no model is run
    assert set(verdicts.values()) == {"wrong"}
    said = {
        "raises": "RuntimeError: no such kernel",
        "too few classes": "logits of shape (192, 5) for 192 images of an image set with 12 classes",
        "no batch": "logits of shape (36,) for 192 images",  # 12 a pass
        "NaN": "NaN or infinite logits for 192 of 192 images",
        "not a tensor": "TypeError: ",
    }[what]
    assert said in run("logits", bad).found


def test_an_interrupt_is_no_finding(subject, model, then):
    def stop(images):
        raise KeyboardInterrupt

    good, stopped = subject(), then(model, before=stop).eval()
    with pytest.raises(KeyboardInterrupt):
        run("randomness", type(good)(**{**vars(good), "model": stopped}))


@pytest.mark.parametrize("name", NAMES)
def test_the_same_is_found_again_and_nothing_is_changed(name, subject, model, then):
    noisy = then(model, after=lambda z: z + 0.1 * torch.randn_like(z)).train()
    subject = subject(noisy)
    arrays = (subject.images, subject.labels, subject.logits)
    before = [a.copy() for a in arrays]
    state = {k: v.clone() for k, v in noisy.state_dict().items()}
    modes = [m.training for m in noisy.modules()]
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    first = run(name, subject)
    assert torch.equal(torch.rand(3), expected)
    assert run(name, subject) == first
    assert all(np.array_equal(a, b) for a, b in zip(arrays, before, strict=True))
    assert all(torch.equal(v, state[k]) for k, v in noisy.state_dict().items())
    assert [m.training for m in noisy.modules()] == modes
    assert not any(m._forward_pre_hooks for m in noisy.modules())
    noisy.eval()


def test_all_together_cost_less_than_twenty_passes_of_sixteen_images(subject, model, then):
    passed = []

    def count(images):
        passed.append(len(images) * (3 if images.requires_grad else 1))  # two backward passes
        return images

    subject = subject(then(model, before=count).eval())
    passed.clear()  # the clean logits are not the checks' own
    assert [finding.check for finding in run_all(subject)] == NAMES
    assert 0 < sum(passed) < 20 * 16


def test_an_untrained_network_of_the_library_raises_no_alarm(subject):
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = cnn(classes=12, shape=(12, 12, 3), width=4).eval()
    card = {"mean": [0.0] * 3, "std": [1.0] * 3}
    assert {f.verdict for f in run_all(subject(network, n=64, **card))} == {"ok"}


def test_an_unknown_check_is_a_mistake_of_the_caller(subject):
    with pytest.raises(ValueError, match="unknown checks 'labels'; there are batch_size"):
        run("labels", subject(n=1))


def test_a_finding_is_plain_data():
    finding = Finding("logits", "ok", "Fine.", "It matters.")
    assert vars(finding) == {
        "check": "logits",
        "verdict": "ok",
        "found": "Fine.",
        "why": "It matters.",
    }
