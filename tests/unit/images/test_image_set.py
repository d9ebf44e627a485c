import signal
import subprocess
import sys

import numpy as np
import pytest

from robusteval.images._image_set import index_of, read_image_set, subset, write_image_set


@pytest.fixture
def folder(tmp_path):
    images = np.arange(2 * 4 * 4 * 1, dtype=np.uint8).reshape(2, 4, 4, 1)
    index = index_of(np.array([7, 9]), np.array([1, -1]), "fog", 3)
    write_image_set(tmp_path / "set", images, index, source="here")
    return tmp_path / "set"


def test_what_is_read_is_what_was_written(folder):
    images = read_image_set(folder)
    assert images.images.shape == (2, 4, 4, 1) and images.images[1, 3, 3, 0] == 31
    assert images.index.to_dict("list") == {
        "image_id": [7, 9], "label": [1, -1], "condition": ["fog"] * 2, "severity": [3, 3],
    }  # fmt: skip
    assert images.card["source"] == "here"


def test_one_flipped_bit_is_found(folder):
    path = folder / "images.npy"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"images\.npy: content differs from card\.json"):
        read_image_set(folder)


def test_a_smaller_subset_is_part_of_a_larger_one():
    ids = np.arange(100)
    small, large = subset(ids, 10, seed=1), subset(ids, 60, seed=1)
    assert len(small) == 10 and set(small) < set(large)
    assert (np.diff(large) > 0).all()


def test_a_subset_is_of_ids_not_of_positions():
    ids = np.arange(100)
    shuffled = ids[::-1].copy()
    assert set(ids[subset(ids, 20, seed=1)]) == set(shuffled[subset(shuffled, 20, seed=1)])
    assert set(subset(ids, 20, seed=1)) != set(subset(ids, 20, seed=2))


@pytest.mark.parametrize("count", [0, 101])
def test_more_images_than_there_are(count):
    with pytest.raises(ValueError, match=f"{count} images asked, 1 to 100 exist"):
        subset(np.arange(100), count, seed=1)


def blocks_of(images, size):
    return (images[i : i + size] for i in range(0, len(images), size))


@pytest.mark.parametrize("size", [1, 4, 10, 50])
def test_blocks_give_the_bytes_of_the_whole(tmp_path, size):
    images = np.random.default_rng(0).integers(0, 256, (10, 4, 3, 3), np.uint8)
    index = index_of(np.arange(10), np.arange(10), "clean")
    write_image_set(tmp_path, blocks_of(images, size), index)
    np.save(tmp_path / "expected.npy", images)
    assert (tmp_path / "images.npy").read_bytes() == (tmp_path / "expected.npy").read_bytes()
    assert read_image_set(tmp_path).card["shape"] == [10, 4, 3, 3]


def test_a_block_of_another_shape(tmp_path):
    index = index_of(np.arange(2), np.arange(2), "clean")
    blocks = [np.zeros((1, 4, 4, 3), np.uint8), np.zeros((1, 4, 5, 3), np.uint8)]
    with pytest.raises(ValueError, match=r"shape \(4, 5, 3\) after others of \(4, 4, 3\)"):
        write_image_set(tmp_path, blocks, index)
    assert not list(tmp_path.iterdir())


KILLED = """
import os, signal, sys
import numpy as np
from robusteval.images._image_set import index_of, write_image_set

def blocks():
    yield np.zeros((1, 4, 4, 3), np.uint8)
    os.kill(os.getpid(), signal.SIGKILL)

write_image_set(sys.argv[1], blocks(), index_of(np.arange(2), np.arange(2), "clean"))
"""


def test_a_kill_half_way_leaves_nothing_that_looks_finished(tmp_path):
    run = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "set"], check=False)
    assert run.returncode == -signal.SIGKILL
    assert [path.name[0] for path in (tmp_path / "set").iterdir()] == ["."]
    index = index_of(np.arange(2), np.arange(2), "clean")
    write_image_set(tmp_path / "set", np.ones((2, 4, 4, 3), np.uint8), index)
    assert read_image_set(tmp_path / "set").images.min() == 1
