import copy

import pytest
import torch

from robusteval.generators._card import build, load_generator
from robusteval.generators._codebook import Codebook
from robusteval.generators._generator import straight_through
from robusteval.generators._reconstruction import reconstruction
from robusteval.generators.vq_vae import vq_vae
from robusteval.models._card import save_model


def test_training_draws_images_that_it_has_not_seen(trained, bars):
    images = bars(64, seed=1)
    with torch.inference_mode():
        missed = (trained.round_trip(images) - images).abs().mean()
    constant = (images - images.mean()).abs().mean()
    assert missed < 0.5 * constant  # grey images, which it draws for the first 15 epochs


def test_the_same_seed_gives_the_same_weights(trained, tmp_path, fit, fresh):
    again = fit(fresh(), tmp_path / "again", epochs=2)
    same = fit(fresh(), tmp_path / "same", epochs=2)
    other = fit(fresh(), tmp_path / "other", epochs=2, seed=1)
    equal = [
        all(map(torch.equal, again.state_dict().values(), model.state_dict().values()))
        for model in (same, other)
    ]
    assert equal == [True, False]


def test_a_killed_training_goes_on_with_its_codebook(tmp_path, fit, fresh):
    whole = fit(fresh(), tmp_path / "whole", epochs=3)
    seen = []

    def kill(images):
        seen.append(images)
        if len(seen) == 15:  # in the second epoch of ten batches
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(fresh(), tmp_path / "killed", epochs=3, progress=kill)
    resumed = fit(fresh(), tmp_path / "killed", epochs=3)
    for name, value in whole.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name


def test_the_card_builds_it_again(trained, tmp_path, bars):
    arguments = {"width": 16, "latent": 4, "codes": 32}
    card = {"builder": "vq_vae", "arguments": arguments, "input_size": [12, 12, 1]}
    save_model(tmp_path, trained, card)
    loaded, read = load_generator(tmp_path)
    images = bars(16, seed=2)
    # Weights lie in another order, which may round otherwise in the last of 24 bits.
    torch.testing.assert_close(loaded.round_trip(images), trained(images), atol=1e-5, rtol=0)
    assert read["builder"] == "vq_vae" and not loaded.training
    assert not any(weight.requires_grad for weight in loaded.parameters())
    (tmp_path / "weights.safetensors").write_bytes(b"cut")
    with pytest.raises(ValueError, match="missing or damaged"):
        load_generator(tmp_path)
    with pytest.raises(ValueError, match=r"unknown generators 'vqgan'; there are .*vq_vae"):
        build({**card, "builder": "vqgan"})


@pytest.mark.parametrize(
    ("shape", "factor", "latent"),
    [((28, 28, 1), 2, (8, 14, 14)), ((32, 32, 3), 4, (8, 8, 8)), ((6, 10, 3), 1, (8, 6, 10))],
)
def test_shapes(shape, factor, latent):
    height, width, channels = shape
    model = vq_vae(shape=shape, width=4, factor=factor).eval()
    images = torch.rand(3, channels, height, width)
    latents = model.encode(images)
    assert latents.shape == (3, *latent)
    assert model.decode(latents).shape == images.shape


def test_images_stay_in_range_however_far_the_latents_go(trained, bars):
    latents = trained.encode(bars(4, seed=3))
    decoded = trained.decode(1000 * latents)
    assert decoded.min() >= 0 and decoded.max() <= 1


def test_every_latent_is_replaced_by_the_nearest_code():
    book = Codebook(3, 2)
    book.vectors.copy_(torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]]))
    latents = torch.tensor([[0.4, 0.1], [0.6, 0.1], [0.1, 1.2]]).T.reshape(1, 2, 1, 3)
    index = book.nearest(latents)
    assert index.tolist() == [[[0, 1, 2]]]
    assert book.look_up(index)[0, :, 0].T.tolist() == [[0, 0], [1, 0], [0, 2]]


def test_gradients_pass_the_codebook_and_values_do_not():
    values = torch.tensor([0.1, 0.7], requires_grad=True)
    result = straight_through(values, torch.tensor([0.3, 0.9]))
    assert torch.equal(result, torch.tensor([0.3, 0.9]))
    (3 * result).sum().backward()
    assert values.grad.tolist() == [3, 3]


def test_the_codebook_follows_what_is_assigned_to_it():
    """Codes at 0 and 10 with 2 earlier latents each; four latents at 1 belong to the first."""
    book = Codebook(2, 1)
    book.vectors.copy_(torch.tensor([[0.0], [10.0]]))
    book.counts.fill_(2)
    book.sums.copy_(2 * book.vectors)
    book.learn(torch.ones(4, 1, 1, 1), rng=torch.Generator(), decay=0.5)
    assert book.counts.tolist() == [3, 1]
    # (0.5 * 0 + 0.5 * 4) / 3; the smoothing of the counts takes 1e-5 of it at most
    assert book.vectors[:, 0].tolist() == pytest.approx([2 / 3, 10], rel=2e-5)


def test_codes_without_latents_are_put_on_some():
    book = Codebook(64, 1)  # drawn so often that each latent has one
    latents = torch.arange(4.0).view(4, 1, 1, 1)
    book.learn(latents, rng=torch.Generator().manual_seed(0), decay=0.99)
    assert all(min(abs(v - place) for place in range(4)) < 1e-4 for v in book.vectors[:, 0])


def test_the_loss_by_hand(fresh):
    """A generator that draws 0.5 everywhere, with its latents 2 off the codes."""
    model = fresh().train()
    for part in (model.encoder[-1], model.decoder[-1]):
        torch.nn.init.zeros_(part.weight)
        torch.nn.init.zeros_(part.bias)
    model.codebook.vectors.fill_(2)
    model.codebook.counts.fill_(1e12)  # does not move
    model.codebook.sums.fill_(2e12)
    images = torch.full((2, 1, 12, 12), 0.9)
    rng = torch.Generator()
    loss = reconstruction(model, images, torch.zeros(2), rng=rng, done=0.0, commitment=0.25)
    # 0.4 + 0.16 + 0.25 * 4; float32, and running means that move by 1e-10
    assert loss.item() == pytest.approx(1.56, abs=1e-5)


def test_the_decoder_and_the_encoder_learn_from_the_drawing(bars, fresh):
    model = copy.deepcopy(fresh())
    rng = torch.Generator().manual_seed(0)
    reconstruction(model, bars(8, 0), torch.zeros(8), rng=rng, done=0.0).backward()
    assert all(weight.grad.abs().max() > 0 for weight in model.parameters())


def test_a_masked_step_leaves_the_rest_bit_equal(fresh):
    model = fresh()
    latents, by = torch.randn(2, 3, 4, 4), torch.randn(2, 3, 4, 4)
    mask = torch.rand(3, 4, 4) < 0.3
    moved = model.step(latents, by, mask)
    assert torch.equal(moved[:, ~mask], latents[:, ~mask])
    assert torch.equal(moved[:, mask], (latents + by)[:, mask])
    assert torch.equal(model.step(latents, by), latents + by)


@pytest.mark.parametrize(
    ("shape", "settings", "message"),
    [
        ((28, 30, 1), {"factor": 4}, "factor 4 for images of 28 x 30"),
        ((27, 27, 1), {"factor": 3}, "power of 2"),
        ((28, 28, 1), {"codes": 0}, "codes 0: expected 1 or more"),
    ],
)
def test_impossible_settings(shape, settings, message):
    with pytest.raises(ValueError, match=message):
        vq_vae(shape=shape, **settings)
