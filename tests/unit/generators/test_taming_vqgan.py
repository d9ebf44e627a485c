"""The published layout of a VQGAN, in small, and what its file may be."""

import pytest
import torch

from robusteval.generators.taming_vqgan import pretrained, taming_vqgan

SMALL = {"codes": 16, "latent": 4, "width": 32, "multiples": (1, 2), "blocks": 1, "attention": 1}


@pytest.fixture(scope="module")
def small():
    torch.manual_seed(0)
    return taming_vqgan(shape=(16, 16, 3), **SMALL)


def saved(generator, path):
    """Write a checkpoint as it is published: its loss and what trained it beside the network."""
    state = generator.state_dict() | {"loss.discriminator.weight": torch.zeros(3)}
    torch.save({"epoch": 1, "state_dict": state, "optimizer_states": [{"state": {}}]}, path)
    return str(path)


def test_parameters_have_the_published_names_and_shapes():
    with torch.device("meta"):
        state = taming_vqgan(shape=(256, 256, 3)).state_dict()
    shapes = {name: tuple(tensor.shape) for name, tensor in state.items()}
    assert shapes["encoder.down.4.attn.1.proj_out.weight"] == (512, 512, 1, 1)
    assert shapes["encoder.down.2.block.0.nin_shortcut.weight"] == (256, 128, 1, 1)
    assert shapes["encoder.down.3.downsample.conv.weight"] == (256, 256, 3, 3)
    assert shapes["decoder.up.4.attn.2.q.weight"] == (512, 512, 1, 1)
    assert shapes["decoder.up.1.upsample.conv.weight"] == (128, 128, 3, 3)
    assert shapes["decoder.mid.attn_1.norm.weight"] == (512,)
    assert shapes["quantize.embedding.weight"] == (1024, 256)
    assert "encoder.down.4.downsample.conv.weight" not in shapes
    assert "decoder.up.0.upsample.conv.weight" not in shapes


def test_a_checkpoint_draws_as_what_was_saved(small, tmp_path):
    generator, arguments = pretrained(
        shape=(16, 16, 3), weights=saved(small, tmp_path / "last.ckpt"), **SMALL
    )
    images = torch.rand(2, 3, 16, 16, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        assert torch.equal(generator.round_trip(images), small.round_trip(images))
    assert arguments == SMALL
    latents = small.encode(images)
    assert latents.shape == (2, 4, 8, 8)
    codes = small.quantised(latents).permute(0, 2, 3, 1).reshape(-1, 4)
    assert all((code == small.quantize.embedding.weight).all(1).any() for code in codes)


def test_gradients_pass_the_codes(small):
    latents = small.encode(torch.full((1, 3, 16, 16), 0.4)).detach().requires_grad_()
    small.decode(latents).sum().backward()
    assert latents.grad.abs().sum() > 0


def test_code_in_a_checkpoint_is_not_run(tmp_path):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "owned"), "w"))

    path = tmp_path / "last.ckpt"
    torch.save({"state_dict": {"encoder.conv_in.weight": Evil()}}, path)
    with pytest.raises(ValueError):
        pretrained(shape=(16, 16, 3), weights=str(path), **SMALL)
    assert not (tmp_path / "owned").exists()


def test_mistakes_are_named(small, tmp_path):
    with pytest.raises(ValueError, match="no such file here; download the checkpoint"):
        pretrained(shape=(16, 16, 3), weights=str(tmp_path / "none.ckpt"), **SMALL)
    path = saved(small, tmp_path / "last.ckpt")
    with pytest.raises(
        ValueError, match=r"another network, quantize.embedding.weight is \(16, 4\)"
    ):
        pretrained(shape=(16, 16, 3), weights=path, **{**SMALL, "codes": 8})
    with pytest.raises(ValueError, match="images of 28 x 28 x 1 for a VQGAN of 3 channels"):
        taming_vqgan(shape=(28, 28, 1))
