import pandas as pd
import pytest

from robusteval.records import Records, failed, write_records
from workflow_scripts.tabulate_storage import COLUMNS, VALUE, rows, tabulate_storage

EXACT = [1, 1, 1, 0, 0, 1]  # of the six images, 10 to 12 and 15 are successes
UINT8 = [1, 0, 1, 1, 0, 0]  # loses 11, and 15, which the model has wrong; gains 13
FLOAT16 = [1, 1, 1, 0, 0, 1]
CLEAN = [0, 0, 0, 0, 0, 1]


@pytest.fixture
def rounded(records):
    def make(target=None, **storages):
        frames = [
            records({("eps", 0): said}).frame.assign(storage=storage, attack="x")
            for storage, said in storages.items()
        ]
        frame = pd.concat(frames, ignore_index=True)
        goals = {"eps": "untargeted" if target is None else "random"}
        if target is not None:
            frame["target"] = target
        logits = records({("eps", 0): [0] * len(frame)}).logits
        return Records(frame, logits, settings={"goals": {"x": goals}})

    return make


def test_lost_and_gained_by_storage(rounded, records):
    cell = ("m", "x", rounded(uint8=UINT8, float16=FLOAT16), records({("eps", 0): EXACT}))
    uint8, float16 = rows([cell], {"m": records({("clean", 0): CLEAN})})
    assert (uint8["storage"], uint8["n"], uint8["lost"], uint8[VALUE]) == ("uint8", 3, 1, 33.33)
    # Wilson's interval of 1 of 3: (1 + 1.9207) / 6.8415 = 0.4269, half 0.28648 * sqrt(1.6271).
    assert uint8["wilson95_low_pct"] == pytest.approx(6.15, abs=0.005)
    assert (uint8["failures"], uint8["gained"]) == (2, 1)
    assert (float16["storage"], float16["n"], float16["lost"], float16[VALUE]) == (
        "float16", 3, 0, 0.0,
    )  # fmt: skip
    assert (float16["gained"], float16["goal"], float16["status"]) == (0, "untargeted", "ok")


def test_a_target_is_lost_to_a_third_class_too(rounded, records):
    verdict = records({("eps", 0): [1, 1, 1, 1, 1, 1]})
    verdict.frame["target"] = 1
    cell = ("m", "x", rounded(target=1, uint8=[1, 2, 0, 1, 1, 1]), verdict)
    (row,) = rows([cell], {"m": records({("clean", 0): CLEAN})})
    assert (row["goal"], row["n"], row["lost"]) == ("random", 5, 2)


def test_without_a_success_there_is_nothing_to_lose(rounded, records):
    cell = ("m", "x", rounded(uint8=[0] * 6), records({("eps", 0): [0] * 6}))
    (row,) = rows([cell], {"m": records({("clean", 0): CLEAN})})
    assert (row["n"], row["lost"], row["failures"], VALUE in row) == (0, 0, 5, False)


def test_a_failure_of_any_of_the_three_is_said(rounded, records):
    cells = [rounded(uint8=UINT8), records({("eps", 0): EXACT}), records({("clean", 0): CLEAN})]
    for position in range(3):
        a, b, before = (failed("NaN", {}) if i == position else r for i, r in enumerate(cells))
        assert list(rows([("m", "x", a, b)], {"m": before})) == [
            {"model": "m", "attack": "x", "n": 0, "status": "NaN"}
        ]


def test_the_table_is_written(rounded, records, transfers, tmp_path):
    write_records(tmp_path / "storage/m.parquet", rounded(uint8=UINT8))
    answers = transfers({("other", "eps"): [0] * 6, ("m", "eps"): EXACT})
    write_records(tmp_path / "transfer/x/m.parquet", answers)
    write_records(tmp_path / "records/m/clean.parquet", records({("clean", 0): CLEAN}))
    tabulate_storage(
        [str(tmp_path / "storage/m.parquet")],
        [str(tmp_path / "transfer/x/m.parquet")],
        [str(tmp_path / "records/m/clean.parquet")],
        str(tmp_path / "storage.csv"),
    )
    table = pd.read_csv(tmp_path / "storage.csv")
    assert list(table) == COLUMNS
    assert table[["model", "attack", "n", "lost"]].values.tolist() == [["m", "x", 3, 1]]
