import numpy as np
import pandas as pd
import pytest

from robusteval.corruptions._apply import corrupt
from robusteval.corruptions._storage import stored
from robusteval.images._image_set import index_of, read_image_set, write_image_set
from robusteval.seeds import generator
from workflow_scripts.corrupt_images import corrupt_images


@pytest.fixture
def clean(tmp_path):
    images = np.random.default_rng(0).integers(0, 256, (6, 28, 28, 1), dtype=np.uint8)
    write_image_set(tmp_path / "clean", images, index_of(np.arange(6), np.arange(6), "clean"))
    return tmp_path / "clean"


@pytest.mark.parametrize(
    ("family", "corruption", "levels"),
    [("cifar10_c", "contrast", [1, 2, 3, 4, 5]), ("mnist_c", "zigzag", [1])],
)
def test_every_severity_of_the_family_is_made(tmp_path, clean, family, corruption, levels):
    corrupt_images(clean, corruption, family, 4, 1, tmp_path / "out")
    made = read_image_set(tmp_path / "out")
    assert made.index["severity"].tolist() == list(np.repeat(levels, 4))
    assert set(made.index["condition"]) == {corruption}
    assert made.card["family"] == family
    ids = made.index["image_id"].to_numpy()[:4]
    for level, images in zip(levels, np.split(made.images, len(levels)), strict=True):
        sources = [generator(1, corruption, level, int(i)) for i in ids]
        originals = read_image_set(clean).images[ids]
        assert np.array_equal(images, corrupt(originals, corruption, level, sources, family=family))


def test_a_corruption_of_another_family_is_refused(tmp_path, clean):
    with pytest.raises(ValueError, match="mnist_c has no corruption 'contrast'"):
        corrupt_images(clean, "contrast", "mnist_c", 4, 1, tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())


def test_workers_change_no_byte_and_jpeg_changes_some(tmp_path, clean):
    for name, options in (("1", {}), ("2", {"workers": 2}), ("jpeg", {"storage": "jpeg_85"})):
        corrupt_images(clean, "fog", "cifar10_c", 4, 1, tmp_path / name, **options)
    one, two, jpeg = (read_image_set(tmp_path / name) for name in ("1", "2", "jpeg"))
    assert (tmp_path / "1/images.npy").read_bytes() == (tmp_path / "2/images.npy").read_bytes()
    pd.testing.assert_frame_equal(one.index, two.index)
    assert np.array_equal(jpeg.images, stored(np.asarray(one.images), "jpeg_85"))
    assert not np.array_equal(jpeg.images, one.images)
