"""Layouts that hold many images in a file: arrays, parquet, the binary version of CIFAR."""

import pickle

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from robusteval.images._labels import Classes
from robusteval.images.layouts.arrays import arrays
from robusteval.images.layouts.cifar10_binary import cifar10_binary
from robusteval.images.layouts.parquet import parquet

PETS = Classes(("dog", "cat", "fish"))
IMAGES = np.random.default_rng(0).integers(0, 256, (20, 6, 4, 3), np.uint8)
LABELS = np.arange(20) % 3


def save(folder, form, images=IMAGES, labels=LABELS):
    """Write arrays in one of the three forms; return the options of the layout."""
    if form == "npy":
        np.save(folder / "images.npy", images)
        np.save(folder / "labels.npy", labels)
        return {}
    write = np.savez if form == "npz" else np.savez_compressed
    write(folder / "set.npz", images=images, labels=labels)
    return {"file": "set.npz"}


@pytest.mark.parametrize("form", ["npy", "npz", "npz compressed"])
def test_arrays_row_by_row_in_any_order_and_in_another_process(tmp_path, form):
    options = save(tmp_path, form)
    listing = arrays(tmp_path, PETS, **options)
    assert listing.labels.tolist() == LABELS.tolist()
    assert listing.names[3] == ("images.npy#3" if form == "npy" else "set.npz#3")
    read = pickle.loads(pickle.dumps(listing.read))
    for i in [*range(20), 3, 19, 0]:
        assert np.array_equal(read(i), IMAGES[i])


def test_rows_of_other_classes_are_left_out(tmp_path):
    save(tmp_path, "npy", labels=np.array([7, 0] * 10))
    for classes, label in (
        (Classes(None, {7: 0}, "leave_out"), 0),
        (Classes("ab", {7: "b"}, "leave_out"), 1),
    ):
        listing = arrays(tmp_path, classes)
        assert listing.names[1] == "images.npy#2" and set(listing.labels) == {label}
        assert np.array_equal(listing.read(1), IMAGES[2])


def test_floats_that_are_levels_and_grey_images_and_labels_in_a_column(tmp_path):
    save(tmp_path, "npy", (IMAGES[..., 0] / 255).astype(np.float32), LABELS[:, None])
    listing = arrays(tmp_path, PETS)
    assert np.array_equal(listing.read(5), IMAGES[5, :, :, :1])
    assert listing.labels.tolist() == LABELS.tolist()


def test_every_level_survives_half_precision(tmp_path):
    levels = np.arange(256, dtype=np.uint8).reshape(1, 16, 16)
    save(tmp_path, "npy", (levels / 255).astype(np.float16), LABELS[:1])
    assert np.array_equal(arrays(tmp_path, PETS).read(0)[..., 0], levels[0])


@pytest.mark.parametrize(
    ("images", "labels", "message"),
    [
        ((IMAGES / 255 - 0.45) / 0.22, LABELS, "row 0: values from -.* normalised already"),
        (IMAGES.astype(np.float32), LABELS, "normalised already, or on another scale"),
        (IMAGES / 255 * 0.99, LABELS, "between the levels"),
        (IMAGES.astype(np.int16), LABELS, "int16; uint8 expected"),
        (IMAGES.transpose(0, 3, 1, 2), LABELS, "channels first; N x H x W x C expected"),
        (IMAGES[0, 0], LABELS[:6], r"shape \(4, 3\); N x H x W x C"),
        (np.asfortranarray(IMAGES), LABELS, "Fortran order"),
        (IMAGES, LABELS[:18], "18 labels for 20 images: images without labels from row 18 on"),
        (IMAGES[:18], LABELS, "20 labels for 18 images: labels without images from row 18 on"),
        (IMAGES, np.eye(20), r"float64 of shape \(20, 20\); whole numbers"),
        (IMAGES, LABELS + 1, r"images\.npy#2 has 3.* count from 1"),
        (IMAGES, LABELS * 2, r"images\.npy#2 has 4, the first of 6; 0 to 2 expected"),
    ],
)
def test_arrays_that_do_not_fit(tmp_path, images, labels, message):
    save(tmp_path, "npy", images, labels)
    with pytest.raises(ValueError, match=message) as error:
        arrays(tmp_path, PETS)
    assert "\n" not in str(error.value)


def test_files_of_arrays_that_are_none(tmp_path):
    with pytest.raises(ValueError, match=r"images\.npy: no such file"):
        arrays(tmp_path, PETS)
    options = save(tmp_path, "npz")
    with pytest.raises(ValueError, match=r"x_test: not to be had .there are images, labels"):
        arrays(tmp_path, PETS, **options, images="x_test")
    (tmp_path / "images.npy").write_bytes(b"<html>")
    with pytest.raises(ValueError, match=r"images\.npy: not an array"):
        arrays(tmp_path, PETS)
    save(tmp_path, "npy")
    path = tmp_path / "images.npy"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="ends within row 19 of 20"):
        arrays(tmp_path, PETS).read(19)


def column(picture, form, count):
    contents = [picture(i) for i in range(count)]
    if form == "bytes":
        return pa.array(contents, pa.binary())
    return pa.array([{"bytes": c, "path": f"{i}.png"} for i, c in enumerate(contents)])


@pytest.mark.parametrize("form", ["bytes", "struct"])
def test_parquet_over_files_and_row_groups(tmp_path, picture, shades, form):
    table = pa.table({"image": column(picture, form, 100), "label": np.arange(100) % 3})
    for number, part in ((10, table.slice(40)), (2, table.slice(0, 40))):
        pq.write_table(part, tmp_path / f"val-{number}.parquet", row_group_size=25)
    listing = parquet(tmp_path, PETS)
    assert listing.names[39:41] == ["val-2.parquet#39", "val-10.parquet#0"]
    assert listing.labels.tolist() == [i % 3 for i in range(100)]
    assert shades(listing) == list(range(100))
    for i in (99, 3, 2, 40, 64, 65):
        assert listing.read(i) == picture(i)


def test_parquet_with_class_ids_files_beside_and_rows_left_out(tmp_path, picture, shades):
    (tmp_path / "one.png").write_bytes(picture(1))
    images = [{"bytes": picture(0), "path": None}, {"bytes": None, "path": "one.png"}] * 2
    kind = pa.struct({"bytes": pa.binary(), "path": pa.string()})
    table = {"photo": pa.array(images, kind), "class": ["cow", "cat", "dog", "cat"]}
    pq.write_table(pa.table(table), tmp_path / "x.parquet")
    classes = Classes(PETS.ids, others="leave_out")
    listing = parquet(tmp_path, classes, image="photo", label="class")
    assert listing.names == ["x.parquet#1", "x.parquet#2", "x.parquet#3"]
    assert listing.labels.tolist() == [1, 0, 1] and shades(listing) == [1, 0, 1]


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        ({"image": [b"", b""], "label": [0, None]}, {}, "images without labels: row 1"),
        ({"image": [b"", b""], "label": [0, 3]}, {}, r"x\.parquet#1 has 3; 0 to 2 expected"),
        ({"image": [b""], "y": [0]}, {}, "no column 'label'; there are image, y"),
        ({"image": ["a"], "label": [0]}, {}, "image: string; encoded images, binary, expected"),
        ({"image": [b""], "label": [0]}, {"files": "t-*"}, r"no file t-\*"),
    ],
)
def test_parquet_files_that_do_not_fit(tmp_path, table, options, message):
    pq.write_table(pa.table(table), tmp_path / "x.parquet")
    with pytest.raises(ValueError, match=message):
        parquet(tmp_path, PETS, **options)


def test_a_damaged_parquet_file_is_named(tmp_path):
    (tmp_path / "x.parquet").write_bytes(b"<html>no</html>")
    with pytest.raises(ValueError, match=r"x\.parquet: damaged"):
        parquet(tmp_path, PETS)


def cifar(folder, files, labels):
    """Write records of ``labels`` (N, 1 or 2) and planes; return images (N, 32, 32, 3)."""
    images = np.random.default_rng(1).integers(0, 256, (len(labels), 32, 32, 3), np.uint8)
    planes = images.transpose(0, 3, 1, 2).reshape(len(labels), -1)
    records = np.concatenate([np.asarray(labels, np.uint8), planes], axis=1)
    for name, part in zip(files, np.split(records, len(files)), strict=True):
        (folder / name).write_bytes(part.tobytes())
    return images


def test_cifar10_is_read_batch_by_batch(tmp_path):
    files = [f"data_batch_{i}.bin" for i in range(1, 6)]
    images = cifar(tmp_path, files, [[i] for i in range(10)])
    listing = cifar10_binary(tmp_path, Classes(), part="train")
    assert listing.labels.tolist() == list(range(10))
    assert listing.names[1:3] == ["data_batch_1.bin#1", "data_batch_2.bin#0"]
    assert all(np.array_equal(listing.read(i), images[i]) for i in range(10))


def test_cifar100_has_two_labels(tmp_path):
    images = cifar(tmp_path, ["test.bin"], [[3, 99], [19, 0]])
    assert cifar10_binary(tmp_path, Classes()).labels.tolist() == [99, 0]
    coarse = cifar10_binary(tmp_path, Classes(), labels="coarse")
    assert coarse.labels.tolist() == [3, 19]
    assert np.array_equal(coarse.read(1), images[1])
    without = cifar10_binary(tmp_path, Classes(), labels=None)
    assert without.labels.tolist() == [-1, -1] and np.array_equal(without.read(1), images[1])


@pytest.mark.parametrize(
    ("files", "options", "message"),
    [
        ([], {}, r"neither CIFAR: test_batch\.bin or test\.bin expected"),
        (["data_batch_1.bin"], {"part": "train"}, r"data_batch_2\.bin: missing"),
        (["test_batch.bin"], {"part": "val"}, "part: 'val': one of test, train expected"),
        (
            ["test_batch.bin"],
            {"labels": "all"},
            "labels: 'all': one of fine, coarse, null expected",
        ),
        (["test_batch.bin"], {}, r"test_batch\.bin#1 has the label 10, 0 to 9 expected"),
    ],
)
def test_cifar_that_does_not_fit(tmp_path, files, options, message):
    cifar(tmp_path, files, [[1], [10]]) if files else None
    with pytest.raises(ValueError, match=message):
        cifar10_binary(tmp_path, Classes(), **options)


def test_half_a_record_is_found(tmp_path):
    cifar(tmp_path, ["test_batch.bin"], [[1], [2]])
    path = tmp_path / "test_batch.bin"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match=r"not whole records of 3073 bytes \(6,145 bytes\)"):
        cifar10_binary(tmp_path, Classes())
