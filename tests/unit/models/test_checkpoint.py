"""Files of weights as people have them."""

import argparse
import json

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

from robusteval.models._checkpoint import read_checkpoint

STATE = {"b.weight": torch.arange(600.0).view(20, 30), "a.bias": torch.ones(3)}
OPTIMISER = {"state": {0: {"step": torch.ones(1), "exp_avg": torch.ones(3)}}, "param_groups": []}
TRAINING = {
    "epoch": 3,
    "best": np.float64(91.2),
    "args": argparse.Namespace(lr=0.1),
    "optimizer": OPTIMISER,
    "scaler": {},
}


@pytest.fixture
def saved(tmp_path):
    def save(content, name="w.pt", **options):
        torch.save(content, tmp_path / name, **options)
        return tmp_path / name

    return save


def same(tensors):
    return list(tensors) == list(STATE) and all(torch.equal(tensors[k], STATE[k]) for k in STATE)


@pytest.mark.parametrize("new", [True, False], ids=["zip", "legacy"])
@pytest.mark.parametrize(
    "content",
    [
        STATE,
        {"state_dict": STATE, **TRAINING},
        {"model": {"net": STATE, "arch": "x"}, **TRAINING},
        {"whatever": STATE},
        {**STATE, "epoch": 3},
    ],
)
def test_the_tensors_are_found_in_any_wrapping_and_stay_in_order(saved, content, new):
    assert same(read_checkpoint(saved(content, _use_new_zipfile_serialization=new)))


def test_safetensors_are_read_whatever_the_suffix(tmp_path):
    save_file(STATE, tmp_path / "w.bin")
    tensors = read_checkpoint(tmp_path / "w.bin")
    assert set(tensors) == set(STATE) and torch.equal(tensors["b.weight"], STATE["b.weight"])
    with pytest.raises(ValueError, match="match: order needs a file of torch"):
        read_checkpoint(tmp_path / "w.bin", ordered=True)


@pytest.mark.parametrize("length", [0x3C, 0x7B, 0x8B1F], ids=["<", "{", "gzip"])
def test_a_length_that_looks_like_text_does_not_fool(tmp_path, length):
    entry = {"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}
    header = json.dumps(entry, separators=(",", ":")).encode().ljust(length)
    assert len(header) == length
    path = tmp_path / "w.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + b"\0\0\x80\x3f")
    assert read_checkpoint(path)["a"].item() == 1


def test_two_sets_of_weights_have_to_be_told_apart(saved):
    other = {k: v + 1 for k, v in STATE.items()}
    path = saved({"model": STATE, "ema": {"module": other, "decay": 0.9}})
    with pytest.raises(ValueError, match=r"several sets of tensors, model, ema\.module; say which"):
        read_checkpoint(path)
    assert same(read_checkpoint(path, key="model"))
    assert torch.equal(read_checkpoint(path, key="ema.module")["a.bias"], other["a.bias"])
    with pytest.raises(ValueError, match=r"key 'best': the keys are model, ema\.module"):
        read_checkpoint(path, key="best")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "an empty file"),
        (b"\n<!DOCTYPE html><html>", "an HTML page, not weights"),
        (b"<?xml version='1.0'?><Error>AccessDenied", "an HTML or XML page, not weights"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:12\n", "a git-lfs pointer"),
        (b"outs:\n- md5: 12\n", "a DVC pin"),
        (b'{"error": "Repository not found"}', "JSON text, not weights"),
        (b"\x1f\x8b\x08rest", "a gzip archive: unpack it first"),
        (b"\x89HDF\r\n\x1a\n", "an HDF5 file"),
        (b"any words", "no checkpoint of PyTorch or safetensors"),
    ],
)
def test_what_is_no_checkpoint_is_named(tmp_path, content, message):
    path = tmp_path / "w.pth"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        read_checkpoint(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("share", [0.02, 0.5, 0.95])
@pytest.mark.parametrize("kind", ["zip", "legacy", "safetensors"])
def test_a_file_that_was_cut_off_is_named(tmp_path, saved, kind, share):
    path = saved(STATE, _use_new_zipfile_serialization=kind == "zip")
    if kind == "safetensors":
        save_file(STATE, path)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(ValueError, match=r"a damaged or incomplete file: fetch it again") as caught:
        read_checkpoint(path)
    assert "\n" not in str(caught.value)


def test_code_is_not_run(saved):
    with pytest.raises(ValueError, match=r"holds an object of torch\.nn\.modules\.linear\.Linear"):
        read_checkpoint(saved(nn.Linear(2, 2)))
    with pytest.raises(ValueError, match="a list, no named tensors"):
        read_checkpoint(saved([torch.ones(1)]))
    with pytest.raises(ValueError, match="no named tensors but epoch, best"):
        read_checkpoint(saved({"epoch": 1, "best": 2}))


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
def test_a_program_is_sent_to_its_builder(tmp_path):
    torch.jit.trace(nn.Linear(2, 2), torch.ones(1, 2)).save(tmp_path / "w.pt")
    with pytest.raises(ValueError, match="use builder: torchscript"):
        read_checkpoint(tmp_path / "w.pt")
