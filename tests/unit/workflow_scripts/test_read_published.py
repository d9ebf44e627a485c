import numpy as np
import pytest
from PIL import Image

from robusteval.images._image_set import index_of, read_image_set, subset, write_image_set
from robusteval.seeds import generator
from workflow_scripts.read_published import read_published

LABELS = np.arange(10_000) % 10


@pytest.fixture
def mnist(tmp_path):
    """Write a clean set of 10,000 small images and an MNIST-C of zigzags; return their folders."""
    clean, raw = tmp_path / "clean", tmp_path / "raw"
    images = np.zeros((10_000, 2, 2, 1), np.uint8)
    write_image_set(clean, images, index_of(np.arange(10_000), LABELS, "clean"), source="mnist")
    (raw / "zigzag").mkdir(parents=True)
    pixels = generator(0, "zigzag").integers(256, size=(10_000, 28, 28, 1), dtype=np.uint8)
    np.save(raw / "zigzag/test_images.npy", pixels)
    np.save(raw / "zigzag/test_labels.npy", LABELS)
    return clean, raw, pixels


def test_the_set_is_that_of_the_studys_images(mnist, tmp_path):
    clean, raw, pixels = mnist
    read_published(clean, "mnist_c", raw, "zigzag", 300, 7, tmp_path / "out")
    written = read_image_set(tmp_path / "out")
    rows = subset(np.arange(10_000), 300, 7)
    assert np.array_equal(written.images, pixels[rows])
    assert written.index.to_dict("list") == index_of(rows, LABELS[rows], "zigzag", 1).to_dict(
        "list"
    )
    card = written.card
    assert (card["origin"], card["release"], card["family"]) == ("published", "mnist_c", "mnist_c")
    assert (card["corruption"], card["count"], card["seed"]) == ("zigzag", 300, 7)
    assert card["resized"] is None and card["shape"] == [300, 28, 28, 1]
    assert "source" not in card  # a test would choose from the images again


def test_the_same_again_gives_the_same_bytes(mnist, tmp_path):
    clean, raw, _ = mnist
    for name in ("one", "two"):
        read_published(clean, "mnist_c", raw, "zigzag", 20, 7, tmp_path / name, side=32)
    for file in ("images.npy", "index.parquet", "card.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_another_size_is_bicubic_and_said_in_the_card(mnist, tmp_path):
    clean, raw, pixels = mnist
    read_published(clean, "mnist_c", raw, "zigzag", 3, 7, tmp_path / "out", side=32)
    written = read_image_set(tmp_path / "out")
    rows = subset(np.arange(10_000), 3, 7)
    for image, i in zip(written.images, rows, strict=True):
        expected = Image.fromarray(pixels[i, ..., 0]).resize((32, 32), Image.Resampling.BICUBIC)
        assert np.array_equal(image[..., 0], np.asarray(expected))
    assert written.card["resized"] == {"from": [28, 28], "to": [32, 32], "filter": "bicubic"}


def test_the_published_size_is_not_resized(mnist, tmp_path):
    clean, raw, pixels = mnist
    read_published(clean, "mnist_c", raw, "zigzag", 3, 7, tmp_path / "out", side=28)
    written = read_image_set(tmp_path / "out")
    assert written.card["resized"] is None
    assert np.array_equal(written.images, pixels[subset(np.arange(10_000), 3, 7)])


def test_files_are_matched_by_the_paths_in_the_index(tmp_path):
    names = [f"n{i % 2:08d}/val_{i}.JPEG" for i in range(4)]
    index = index_of(np.arange(4), np.arange(4) % 2, "clean").assign(path=names)
    write_image_set(tmp_path / "clean", np.zeros((4, 2, 2, 3), np.uint8), index, source="mine")
    for severity in (1, 2, 3, 4, 5):
        for i, name in enumerate(names):
            path = tmp_path / f"raw/frost/{severity}" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.new("RGB", (64, 64), (10 * severity + i, 0, 0)).save(path, "PNG")
    read_published(
        tmp_path / "clean", "tiny_imagenet_c", tmp_path / "raw", "frost", 3, 1, tmp_path / "out"
    )
    written = read_image_set(tmp_path / "out")
    index = written.index
    assert index["severity"].tolist() == [s for s in (1, 2, 3, 4, 5) for _ in range(3)]
    assert (index["condition"] == "frost").all()
    red = 10 * index["severity"] + index["image_id"]
    assert np.array_equal(written.images[:, 0, 0, 0], red)
    assert index["label"].equals(index["image_id"] % 2)


def test_a_set_that_is_refused_leaves_no_card(mnist, tmp_path):
    clean, raw, _ = mnist
    np.save(raw / "zigzag/test_labels.npy", (LABELS + 1) % 10)
    with pytest.raises(ValueError, match="the labels of 5 of 5 images differ"):
        read_published(clean, "mnist_c", raw, "zigzag", 5, 7, tmp_path / "out")
    assert not (tmp_path / "out").exists()
