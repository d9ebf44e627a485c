"""Published sets of JPEG files: which file belongs to which clean image, and what is refused."""

import pickle
import shutil

import numpy as np
import pytest
from PIL import Image

from robusteval import plugins
from robusteval.images.published import _release
from robusteval.images.published._release import Chosen
from robusteval.seeds import generator

WNIDS = ("n01440764", "n01443537", "n02007558")
NAMES = tuple(f"{WNIDS[i % 3]}/ILSVRC2012_val_{i + 1:08d}.JPEG" for i in range(6))
SIDES = {"imagenet_c": 224, "tiny_imagenet_c": 64}


def save(path, side, seed, **settings):
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = generator(0, str(seed)).integers(256, size=(side, side, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(path, "JPEG", quality=85, optimize=True, **settings)


@pytest.fixture
def unpack(tmp_path):
    """Write a release of six images at five severities; return its folder."""

    def release(name="tiny_imagenet_c", corruption="fog", group=""):
        root = tmp_path / "release" / group / corruption
        for severity in (1, 2, 3, 4, 5):
            for i, image in enumerate(NAMES):
                save(root / str(severity) / image, SIDES[name], (severity, i))
        return tmp_path / "release"

    return release


def chosen(order=(4, 0, 3), names=NAMES, labels=None):
    labels = [i % 3 for i in range(6)] if labels is None else labels
    ids = np.array(order)
    return Chosen(ids, np.array(labels)[ids], tuple(names[i] for i in order))


def read(folder, name="tiny_imagenet_c", corruption="fog", wanted=None):
    return plugins.load("images.published", name)(folder, corruption, wanted or chosen())


def all_of(published, severity):
    return np.concatenate(list(published.blocks(severity)))


@pytest.mark.parametrize("name", SIDES)
@pytest.mark.parametrize("group", ["", "weather"])
def test_images_come_in_the_order_asked_for_as_they_are(unpack, name, group):
    folder = unpack(name, group=group)
    published = read(folder, name)
    assert published.shape == (SIDES[name], SIDES[name], 3)
    assert published.severities == (1, 2, 3, 4, 5)
    for severity in (1, 5):
        images = all_of(published, severity)
        assert images.dtype == np.uint8
        for image, i in zip(images, (4, 0, 3), strict=True):
            file = folder / group / "fog" / str(severity) / NAMES[i]
            assert np.array_equal(image, np.asarray(Image.open(file)))


def test_blocks_bound_the_memory(unpack, monkeypatch):
    folder = unpack()
    whole = all_of(read(folder), 2)
    monkeypatch.setattr(_release, "BLOCK", 2)
    blocks = list(read(folder).blocks(2))
    assert [len(block) for block in blocks] == [2, 1]
    assert np.array_equal(np.concatenate(blocks), whole)


def test_reading_can_be_sent_to_another_process(unpack):
    published = read(unpack())
    again = pickle.loads(pickle.dumps(published))
    assert np.array_equal(all_of(again, 3), all_of(published, 3))


def test_endings_and_outer_folders_of_the_clean_names_do_not_count(unpack):
    folder = unpack()
    names = [f"val/{name.replace('.JPEG', '.png')}" for name in NAMES]
    assert np.array_equal(
        all_of(read(folder, wanted=chosen(names=names)), 1), all_of(read(folder), 1)
    )


@pytest.mark.parametrize("outer", ["", "val/", "0/"])
def test_clean_images_that_are_not_in_folders_of_wnids_are_found_by_stem(unpack, outer):
    folder = unpack()
    names = [outer + name.split("/")[1] for name in NAMES]
    assert np.array_equal(
        all_of(read(folder, wanted=chosen(names=names)), 1), all_of(read(folder), 1)
    )


def test_a_grey_file_has_three_channels(unpack):
    folder = unpack()
    path = folder / "fog/1" / NAMES[0]
    Image.open(path).convert("L").save(path)
    image = all_of(read(folder), 1)[1]
    assert image.shape == (64, 64, 3) and np.array_equal(image[..., 0], image[..., 2])


def test_other_files_in_the_folders_do_not_count(unpack):
    folder = unpack()
    (folder / "fog/2" / WNIDS[0] / ".DS_Store").write_text("x")
    (folder / "fog/2" / WNIDS[0] / "._ILSVRC2012_val_00000001.JPEG").write_text("x")
    (folder / "fog/2/readme.txt").write_text("x")
    assert len(all_of(read(folder), 2)) == 3


def refused(folder, message, wanted=None, corruption="fog", name="tiny_imagenet_c"):
    with pytest.raises(ValueError, match=message) as error:
        published = read(folder, name, corruption, wanted)
        for severity in published.severities:
            all_of(published, severity)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_missing_files_are_counted_and_the_first_is_named(unpack):
    folder = unpack()
    for i in (0, 3):
        (folder / "fog/3" / NAMES[i]).unlink()
    said = refused(folder, f"fog/3: 2 of 3 images are missing, the first is {NAMES[0]}")
    assert "not those of Tiny ImageNet's validation part" in said


def test_a_severity_with_another_count_is_refused(unpack):
    folder = unpack()
    (folder / "fog/4" / NAMES[5]).unlink()  # not among the chosen ones
    refused(folder, "fog/4: 5 images, the other severities have 6")


def test_a_missing_severity_and_a_missing_corruption(unpack):
    folder = unpack()
    shutil.rmtree(folder / "fog/5")
    refused(folder, "fog/5: not there, severities 1 to 5 expected")
    refused(folder, r"neither snow/ nor noise\|.*\|extra/snow/ is there", corruption="snow")
    refused(folder, "tiny_imagenet_c has no corruption 'shear'; it has gauss", corruption="shear")


def test_an_image_in_the_folder_of_another_class(unpack):
    folder = unpack()
    for severity in "12345":
        there = folder / "fog" / severity / NAMES[0]
        there.rename(folder / "fog" / severity / WNIDS[1] / there.name)
    moved = NAMES[0].replace(WNIDS[0], WNIDS[1]).removesuffix(".JPEG")
    refused(
        folder, f"1 of 3 images are in the folder of another class.* {NAMES[0]} .* {moved} here"
    )


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1, 2, 1, 1, 2], f"labels disagree: label 1 is {WNIDS[1]}, and {WNIDS[0]} for"),
        ([0, 1, 2, 7, 1, 2], f"labels disagree: {WNIDS[0]} is label 0, and label 7 for"),
    ],
)
def test_labels_that_disagree_with_the_folders(unpack, labels, message):
    refused(unpack(), message, chosen(labels=labels))


def test_a_file_of_another_size_is_not_resized(unpack):
    folder = unpack()
    save(folder / "fog/2" / NAMES[0], 72, 0)
    refused(folder, r"val_00000001.JPEG: 72 x 72 pixels, 64 x 64 expected; .* nor cropped")


def test_a_damaged_file_is_named(unpack):
    folder = unpack()
    path = folder / "fog/2" / NAMES[0]
    path.write_bytes(path.read_bytes()[:500])
    refused(folder, r"fog/2/.*00000001.JPEG: damaged \(")
    path.write_bytes(b"")
    refused(folder, r"fog/2/.*00000001.JPEG: damaged \(")


def test_the_frost_of_a_thousand_classes_is_refused(unpack):
    folder = unpack(corruption="frost")
    for i in range(198):
        (folder / f"frost/1/n{i:08d}").mkdir()
    refused(folder, "frost/1: 201 folders of classes, at most 200 expected", corruption="frost")


def test_two_files_of_one_image(unpack):
    folder = unpack()
    path = folder / "fog/1" / NAMES[0]
    shutil.copy(path, path.with_suffix(".jpg"))
    refused(folder, "is the same image; keep one of them")


def test_without_names_nothing_can_be_matched(unpack):
    wanted = Chosen(np.array([1]), np.array([0]))
    refused(unpack(), "no file names", wanted)


def test_a_severity_that_the_release_lacks(unpack):
    with pytest.raises(ValueError, match="severity 6; the release has 1, 2, 3, 4, 5"):
        next(read(unpack()).blocks(6))
