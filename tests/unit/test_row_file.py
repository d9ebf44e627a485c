import numpy as np
import pytest

from robusteval.row_file import read_rows, shape_of, writing_rows

ROWS = np.arange(12, dtype=np.float32).reshape(6, 2)


def test_parts_come_back_as_one(tmp_path):
    path = tmp_path / "rows.npy"
    with writing_rows(path, 6) as append:
        append(ROWS[:1])
        append(ROWS[1:])
        assert not path.exists()
    assert np.load(path).tolist() == ROWS.tolist()
    assert shape_of(path) == (6, 2)
    assert read_rows(path, slice(2, 4)).tolist() == ROWS[2:4].tolist()


@pytest.mark.parametrize("shape", [(0, 0), (3, 0)])
def test_no_rows_and_rows_of_nothing(tmp_path, shape):
    path = tmp_path / "rows.npy"
    with writing_rows(path, shape[0]) as append:
        if shape[0]:
            append(np.empty(shape, np.float32))
    assert shape_of(path) == shape and read_rows(path, slice(0, 9)).shape == shape


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([ROWS[:2]], "2 rows written, 6 expected"),
        ([ROWS[:2], ROWS[:4, :1]], "rows of 1 numbers after others of 2"),
    ],
)
def test_what_does_not_fit_leaves_no_file(tmp_path, parts, message):
    with pytest.raises(ValueError, match=message), writing_rows(tmp_path / "r.npy", 6) as append:
        for part in parts:
            append(part)
    assert not list(tmp_path.iterdir())
