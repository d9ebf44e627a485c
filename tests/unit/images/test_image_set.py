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


def test_blocks_give_the_same_bytes_as_the_whole(tmp_path):
    images = np.random.default_rng(0).integers(0, 256, (7, 4, 5, 3), dtype=np.uint8)
    index = index_of(np.arange(7), np.arange(7), "clean")
    write_image_set(tmp_path / "whole", images, index)
    blocks = (images[i : i + 3].copy(order="F") for i in range(0, 7, 3))
    write_image_set(tmp_path / "blocks", blocks, index, shape=images.shape)
    for name in ("images.npy", "index.parquet", "card.json"):
        assert (tmp_path / "whole" / name).read_bytes() == (tmp_path / "blocks" / name).read_bytes()
    np.save(tmp_path / "plain.npy", images)
    assert (tmp_path / "plain.npy").read_bytes() == (tmp_path / "whole/images.npy").read_bytes()


def test_blocks_that_do_not_amount_to_the_shape_are_refused(tmp_path):
    images = np.zeros((2, 4, 4, 1), np.uint8)
    index = index_of(np.arange(3), np.arange(3), "clean")
    with pytest.raises(AssertionError):
        write_image_set(tmp_path / "set", iter([images]), index, shape=(3, 4, 4, 1))
    assert not list((tmp_path / "set").iterdir())
