import errno

import pytest

from robusteval.files import read_json, replacing, sha256, write_json


def test_a_block_that_fails_leaves_the_old_file_and_no_rest(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(RuntimeError), replacing(path) as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_new_file_is_not_seen_before_it_is_whole(tmp_path):
    path = tmp_path / "new" / "a.txt"
    with replacing(path) as temporary:
        temporary.write_text("whole")
        assert not path.exists()
        assert temporary.suffix == ".txt"
    assert path.read_text() == "whole"


def test_json_is_written_in_one_way(tmp_path):
    write_json(tmp_path / "a.json", {"b": 1, "a": [1.5, None]})
    write_json(tmp_path / "b.json", {"a": [1.5, None], "b": 1})
    assert sha256(tmp_path / "a.json") == sha256(tmp_path / "b.json")
    assert read_json(tmp_path / "a.json") == {"a": [1.5, None], "b": 1}


def test_sha256_is_that_of_the_standard(tmp_path):
    path = tmp_path / "abc"
    path.write_bytes(b"abc")  # the example of FIPS 180-2, appendix B.1
    assert sha256(path) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_a_full_disk_is_one_line_that_says_what_to_do(tmp_path):
    with (
        pytest.raises(OSError, match=r"table\.csv: no space left on the disk; free some and run"),
        replacing(tmp_path / "table.csv") as temporary,
    ):
        temporary.write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")
    assert not list(tmp_path.iterdir())


def test_another_error_stays_what_it_is(tmp_path):
    with pytest.raises(PermissionError), replacing(tmp_path / "table.csv"):
        raise PermissionError(errno.EACCES, "Permission denied")
