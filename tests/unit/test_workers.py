import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from robusteval.workers import enough, in_order

# Spawned processes import the functions that they call, so these need a module of their own.
MODULE = """
import os, sys, time
import numpy as np
from pathlib import Path
from robusteval.workers import in_order

def scaled(factor, number):
    time.sleep(0.02 * (number % 3))
    return factor * number

def spoiled(factor, number):
    if number == 3:
        raise ValueError(f"{number}: spoiled")
    return number

def arrays(size, number):
    big = np.arange(size, dtype=np.int64).reshape(-1, 2) * number
    return {"number": number, "big": big, "turned": big.T, "parts": [big[:0], big[::2], None]}

def dead(factor, number):
    os._exit(1)

def asleep(folder, number):
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(60)

if __name__ == "__main__":
    list(in_order(asleep, sys.argv[1], range(4), workers=2))
"""


@pytest.fixture
def tasks(tmp_path, monkeypatch):
    (tmp_path / "some_tasks.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    yield __import__("some_tasks")
    del sys.modules["some_tasks"]


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_of_the_tasks(tasks, workers):
    results = in_order(tasks.scaled, 10, range(12), workers=workers)
    assert list(results) == [10 * i for i in range(12)]


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_comes_out_in_its_turn(tasks, workers):
    results = in_order(tasks.spoiled, None, range(12), workers=workers)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="3: spoiled"):
        next(results)


def test_arrays_anywhere_in_a_result_arrive_whole_and_keep_their_bytes(tasks):
    results = list(in_order(tasks.arrays, 300_000, range(12), workers=2))  # 2.4 MB each
    for number, result in enumerate(results):  # all kept until now, in memory that was used again
        expected = tasks.arrays(300_000, number)
        assert result["number"] == number and result["parts"][2] is None
        assert np.array_equal(result["big"], expected["big"])
        assert np.array_equal(result["turned"], expected["turned"])
        assert np.array_equal(result["parts"][1], expected["parts"][1])
        assert result["parts"][0].shape == (0, 2)
        result["big"][:] = 0  # an array of one's own


def test_tasks_are_not_taken_before_their_turn(tasks):
    taken = []
    results = in_order(tasks.scaled, 1, (taken.append(i) or i for i in range(100)), workers=2)
    next(results)
    assert len(taken) == 4
    results.close()


def test_a_process_that_dies_is_reported(tasks):
    with pytest.raises(OSError, match="a worker process died"):
        list(in_order(tasks.dead, None, range(4), workers=2))


def test_no_workers():
    with pytest.raises(ValueError, match="0 workers: at least 1 expected"):
        next(in_order(max, 1, [1], workers=0))


def test_few_tasks_are_not_worth_a_process():
    assert [enough(tasks, 8) for tasks in (1, 7, 8, 100)] == [1, 1, 2, 8]


def test_workers_do_not_survive_a_kill(tasks, tmp_path):
    (tmp_path / "pids").mkdir()
    path = os.pathsep.join([str(Path(__file__).parents[2]), str(tmp_path)])
    process = subprocess.Popen(
        [sys.executable, tmp_path / "some_tasks.py", tmp_path / "pids"],
        env={**os.environ, "PYTHONPATH": path},
    )
    deadline = time.monotonic() + 30
    while len(pids := list((tmp_path / "pids").iterdir())) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    alive = [int(path.name) for path in pids]
    while alive and time.monotonic() < deadline:
        alive = [pid for pid in alive if Path(f"/proc/{pid}").exists() and not zombie(pid)]
        time.sleep(0.05)
    assert len(pids) == 2 and not alive


def zombie(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[0] == "Z"
    except OSError:
        return True
