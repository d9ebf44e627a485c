"""Image sets written block by block."""

import numpy as np
import pytest

from robusteval.images._image_set import (
    index_of,
    read_image_set,
    write_image_set,
)
from robusteval.seeds import generator

IMAGES = generator(0, "blocks").integers(256, size=(7, 5, 4, 3), dtype=np.uint8)
INDEX = index_of(np.arange(7), np.zeros(7), "clean")


@pytest.mark.parametrize("step", [1, 3, 7])
def test_blocks_give_the_bytes_of_the_whole(tmp_path, step):
    write_image_set(tmp_path / "whole", IMAGES, INDEX, source="here", shape=[0])
    blocks = (IMAGES[i : i + step] for i in range(0, 7, step))
    write_image_set(tmp_path / "blocks", blocks, INDEX, source="here", shape=[0])
    for name in ("images.npy", "index.parquet", "card.json"):
        assert (tmp_path / "blocks" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert np.array_equal(read_image_set(tmp_path / "blocks").images, IMAGES)


def test_the_bytes_are_those_of_numpy(tmp_path):
    write_image_set(tmp_path, IMAGES, INDEX)
    np.save(tmp_path / "other.npy", IMAGES)
    assert (tmp_path / "images.npy").read_bytes() == (tmp_path / "other.npy").read_bytes()


def test_views_are_written_in_their_own_order(tmp_path):
    write_image_set(tmp_path, IMAGES[::-1, :, ::-1], INDEX)
    assert np.array_equal(read_image_set(tmp_path).images, IMAGES[::-1, :, ::-1])


def test_too_few_images_leave_no_file(tmp_path):
    with pytest.raises(AssertionError, match="3, 7"):
        write_image_set(tmp_path, [IMAGES[:3]], INDEX)
    assert not list(tmp_path.iterdir())
