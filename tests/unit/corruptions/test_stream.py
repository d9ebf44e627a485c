"""Streams of corrupted images: the same bytes however they are made, in little memory."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from robusteval.corruptions._apply import corrupt
from robusteval.corruptions._stream import Generators, stream
from robusteval.images._image_set import index_of, write_image_set
from robusteval.seeds import generator

ROOT = Path(__file__).parents[3]
N, SEVERITIES, SEED = 7, (2, 5), 3
IDS = np.array([40, 3, 17, 5, 99, 8, 21])


@pytest.fixture
def images():
    return np.random.default_rng(0).integers(0, 256, (N, 32, 32, 3), dtype=np.uint8)


@pytest.fixture
def mapped(images, tmp_path):
    np.save(tmp_path / "images.npy", images)
    return np.load(tmp_path / "images.npy", mmap_mode="r")


def streamed(images, corruption="snow", ids=IDS, **settings):
    blocks = stream(images, corruption, SEVERITIES, SEED, ids, family="cifar10_c", **settings)
    return np.concatenate(list(blocks))


def directly(images, corruption="snow", ids=IDS):
    return np.concatenate(
        [
            corrupt(
                images,
                corruption,
                severity,
                [generator(SEED, corruption, severity, int(i)) for i in ids],
                family="cifar10_c",
            )
            for severity in SEVERITIES
        ]
    )


@pytest.mark.parametrize("block", [1, 3, 7, 100, None])
def test_blocks_do_not_matter(images, block):
    assert np.array_equal(streamed(images, block=block), directly(images))


@pytest.mark.parametrize("corruption", ["snow", "glass_blur", "shot_noise"])
@pytest.mark.parametrize("workers", [1, 2])
def test_neither_workers_nor_mapping_matter(images, mapped, corruption, workers):
    expected = directly(images, corruption)
    for source in (images, mapped, mapped[:]):  # the last is a view, whose offset is not told
        assert np.array_equal(streamed(source, corruption, workers=workers, block=2), expected)


@pytest.mark.parametrize("workers", [1, 2])
def test_rows_are_taken_by_position_and_keep_their_ids(images, mapped, workers):
    rows = np.array([6, 1, 2])
    expected = directly(images[rows], ids=IDS[rows])
    for source in (images, mapped):
        result = streamed(source, ids=IDS[rows], rows=rows, workers=workers, block=2)
        assert np.array_equal(result, expected)


def test_blocks_come_severity_by_severity(images):
    blocks = stream(images, "fog", SEVERITIES, SEED, IDS, family="cifar10_c", block=4)
    assert [len(block) for block in blocks] == [4, 3, 4, 3]


@pytest.mark.parametrize("workers", [1, 2])
def test_what_corrupt_refuses_reaches_the_caller(images, workers):
    with pytest.raises(ValueError, match="severity 9; cifar10_c has 1, 2, 3, 4, 5"):
        list(stream(images, "fog", (1, 9), SEED, IDS, family="cifar10_c", workers=workers))


def test_ids_must_be_as_many_as_images(images):
    with pytest.raises(ValueError, match="6 ids for 7 images; one an image is allowed"):
        stream(images, "fog", SEVERITIES, SEED, IDS[:6], family="cifar10_c")


def test_memory_does_not_grow_with_the_images(tmp_path):
    # 600 images of 128 pixels are 28 MiB and at five severities 141; a block is 4.
    counts = (100, 600)
    for count in counts:
        ids = np.arange(count)
        images = np.zeros((count, 128, 128, 3), np.uint8)
        write_image_set(tmp_path / str(count), images, index_of(ids, ids, "clean"))
    code = """
import resource, sys
from pathlib import Path
from workflow_scripts.corrupt_images import corrupt_images

folder, peaks = Path(sys.argv[1]), []
for count in map(int, sys.argv[2:]):
    corrupt_images(folder / str(count), "pixelate", "cifar10_c", count, 0, folder / f"c{count}")
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
print(peaks[1] - peaks[0])
"""
    result = subprocess.run(
        [sys.executable, "-c", code, tmp_path, *map(str, counts)],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    # Neither the clean images nor the corrupted ones add up; two blocks' worth for chance.
    assert float(result.stdout) < 8
    assert np.load(tmp_path / "c600" / "images.npy", mmap_mode="r").shape == (3000, 128, 128, 3)


def test_generators_are_those_of_their_ids_alone_or_sliced():
    generators = Generators(SEED, "fog", 2, IDS)
    expected = [generator(SEED, "fog", 2, int(i)).random() for i in IDS]
    assert [g.random() for g in generators] == expected
    assert [g.random() for g in generators[2:5]] == expected[2:5]
    assert len(generators) == N and len(generators[2:5]) == 3
