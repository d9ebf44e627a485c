from dataclasses import fields

import numpy as np
import pytest
import torch

from robusteval.neurons._ranges import ranges_of, read_ranges, write_ranges


def equal(one, other):
    return all(np.array_equal(getattr(one, f.name), getattr(other, f.name)) for f in fields(one))


def test_by_hand(passing_on, rows):
    found = ranges_of(passing_on(3), rows((0, -1, 7), (2, 1, 7), (4, 0, 7)))
    assert (found.layers, found.sizes, found.positions, found.n) == (("1",), (3,), "mean", 3)
    assert found.low.tolist() == [0, -1, 7] and found.high.tolist() == [4, 1, 7]
    # Population standard deviations, sqrt(8 / 3) and sqrt(2 / 3), to the rounding of float64.
    assert found.std == pytest.approx([np.sqrt(8 / 3), np.sqrt(2 / 3), 0], abs=1e-15)
    assert found.constant.tolist() == [False, False, True]


@pytest.mark.parametrize("positions", ["mean", "any"])
def test_against_all_at_once(network, images, positions):
    found = ranges_of(network, images, positions=positions)
    assert found.layers == ("conv1", "conv2", "head") and found.sizes == (6, 5, 4)
    with torch.no_grad():
        conv1 = network.conv1(images).double().flatten(2)
    conv1 = (conv1 if positions == "any" else conv1.mean(2, keepdim=True)).transpose(0, 1)
    expected = conv1.flatten(1)
    # Float32 activations of passes of another width: some 1e-7 of values of about 1.
    assert found.low[:6] == pytest.approx(expected.amin(1).numpy(), abs=1e-6)
    assert found.high[:6] == pytest.approx(expected.amax(1).numpy(), abs=1e-6)
    assert found.std[:6] == pytest.approx(expected.std(1, correction=0).numpy(), abs=1e-6)


@pytest.mark.parametrize("batch_size", [1, 16, 33, 256])
def test_width_does_not_matter(network, images, batch_size):
    assert equal(ranges_of(network, images, batch_size=batch_size), ranges_of(network, images))


def test_kept_and_read_again(network, images, tmp_path):
    ranges = ranges_of(network, images[:20], names=["relu"])
    write_ranges(tmp_path / "ranges.safetensors", ranges)
    assert equal(read_ranges(tmp_path / "ranges.safetensors"), ranges)
    assert ranges.layers == ("relu", "relu:2")


def test_a_damaged_file_is_named(tmp_path):
    (tmp_path / "ranges.safetensors").write_bytes(b"nothing")
    with pytest.raises(ValueError, match=r"ranges\.safetensors: damaged, or no ranges; delete"):
        read_ranges(tmp_path / "ranges.safetensors")


def test_no_image_is_an_error(network, images):
    with pytest.raises(ValueError, match="no training image"):
        ranges_of(network, images[:0])


def test_progress_counts_the_images(network, images):
    done = []
    ranges_of(network, images, progress=done.append)
    assert sum(done) == 150
