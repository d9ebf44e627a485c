"""The image set of a corruption."""

import numpy as np
import pytest

from robusteval.corruptions._apply import corrupt
from robusteval.images._image_set import index_of, read_image_set, subset, write_image_set
from robusteval.seeds import generator
from workflow_scripts.corrupt_images import SEVERITIES, corrupt_images

IDS = np.array([30, 11, 52, 7, 90])


@pytest.fixture
def clean(tmp_path):
    images = np.random.default_rng(1).integers(0, 256, (5, 28, 28, 1), dtype=np.uint8)
    write_image_set(tmp_path / "clean", images, index_of(IDS, np.arange(5), "clean"))
    return tmp_path / "clean"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_subset_is_corrupted_at_every_severity(clean, tmp_path, workers):
    corrupt_images(clean, "fog", "cifar10_c", 3, 4, tmp_path / "fog", workers)
    result = read_image_set(tmp_path / "fog")
    chosen = subset(IDS, 3, 4)
    assert result.index["image_id"].tolist() == [*IDS[chosen]] * len(SEVERITIES)
    assert result.index["label"].tolist() == [*chosen] * len(SEVERITIES)
    assert result.index["severity"].tolist() == np.repeat(SEVERITIES, 3).tolist()
    assert set(result.index["condition"]) == {"fog"}
    assert result.card["count"] == 3 and result.card["family"] == "cifar10_c"
    images = read_image_set(clean).images[chosen]
    for i, severity in enumerate(SEVERITIES):
        generators = [generator(4, "fog", severity, int(j)) for j in IDS[chosen]]
        expected = corrupt(images, "fog", severity, generators, family="cifar10_c")
        assert np.array_equal(result.images[3 * i : 3 * i + 3], expected)


def test_an_error_leaves_no_file_behind(clean, tmp_path):
    with pytest.raises(ValueError, match="saturate allows three channels only"):
        corrupt_images(clean, "saturate", "cifar10_c", 3, 4, tmp_path / "saturate")
    assert not list((tmp_path / "saturate").iterdir())
