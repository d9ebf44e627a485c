import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from robusteval.records import OK, Records, failed, read_records, write_records


@pytest.fixture
def records():
    frame = pd.DataFrame({"image_id": [3, 1], "label": [0, -1], "condition": "a", "severity": 0})
    return Records(frame, np.array([[1.5, -2], [0, 1e-7]], np.float32), settings={"n": 2})


def test_what_is_read_is_what_was_written(tmp_path, records):
    write_records(tmp_path / "r.parquet", records)
    again = read_records(tmp_path / "r.parquet")
    pd.testing.assert_frame_equal(again.frame, records.frame)
    np.testing.assert_array_equal(again.logits, records.logits)
    assert again.logits.dtype == np.float32
    assert (again.status, again.settings) == (OK, {"n": 2})


def test_records_without_logits(tmp_path, records):
    write_records(tmp_path / "r.parquet", Records(records.frame, np.empty((2, 0), np.float32)))
    assert read_records(tmp_path / "r.parquet").logits.shape == (2, 0)


def test_a_failed_cell_keeps_its_reason(tmp_path):
    write_records(tmp_path / "r.parquet", failed("NaN in 3 of 5", {"n": 5}))
    again = read_records(tmp_path / "r.parquet")
    assert again.status == "NaN in 3 of 5"
    assert len(again.frame) == 0 and "prediction" in again.frame


def test_a_file_that_lost_rows_is_refused(tmp_path, records):
    path = tmp_path / "r.parquet"
    write_records(path, records)
    table = pq.read_table(path)
    pq.write_table(table.slice(0, 1).replace_schema_metadata(table.schema.metadata), path)
    with pytest.raises(ValueError, match=r"r\.parquet: 1 rows, 2 expected"):
        read_records(path)


def test_a_flipped_bit_anywhere_is_one_kind_of_error(tmp_path, records):
    path = tmp_path / "r.parquet"
    write_records(path, records)
    whole, refused = path.read_bytes(), 0
    for place in range(0, len(whole), 5):
        content = bytearray(whole)
        content[place] ^= 128
        path.write_bytes(content)
        try:
            read_records(path)
        except ValueError as error:
            assert str(error).startswith(f"{path}: ") and "\n" not in str(error)
            refused += 1
    assert refused > 100  # hashes find the others: names, or numbers as likely as the right ones


def test_another_parquet_file_is_refused(tmp_path, records):
    records.frame.to_parquet(tmp_path / "r.parquet")
    with pytest.raises(ValueError, match="not a records file"):
        read_records(tmp_path / "r.parquet")


def test_the_same_records_are_the_same_bytes(tmp_path, records):
    for name in ("a", "b"):
        write_records(tmp_path / name, records)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
