"""Tasks over processes: order, errors, and nobody left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from robusteval.workers import in_order

ROOT = Path(__file__).parents[2]


def square(x):
    if x == 3:
        time.sleep(0.3)  # the slowest comes in its place all the same
    return x * x


def identity(x):
    return x


def refuse(x):
    if x == 2:
        raise ValueError(f"task {x}: only 0 and 1 are allowed")
    return x


def stumble(x):
    return 1 // (x - 1)


def die(x):
    if x == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return x


def threads(x):
    return os.environ["OMP_NUM_THREADS"], os.environ["OPENBLAS_NUM_THREADS"]


def pid(x):
    return os.getpid()


def is_alive(number):
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return not Path(f"/proc/{number}/stat").read_text().rpartition(") ")[2].startswith("Z")


def gone(number, seconds=20):
    """Return whether a process ends within ``seconds``, many times what it takes."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if not is_alive(number):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("workers", [0, 1, 2, 3])
def test_results_come_in_order(workers):
    assert list(in_order(square, range(8), workers)) == [x * x for x in range(8)]


@pytest.mark.parametrize("tasks", [[], [5]])
def test_there_may_be_fewer_tasks_than_workers(tasks):
    assert list(in_order(square, tasks, 2)) == [x * x for x in tasks]


@pytest.mark.parametrize("workers", [1, 2])
def test_arrays_come_as_they_are(workers):
    arrays = [
        np.arange(2_000_000, dtype=np.uint8).reshape(2, -1),
        np.arange(12.0).reshape(3, 4).T,  # not in order in memory
        np.zeros((0, 5), np.int16),
    ]
    for array, result in zip(arrays, in_order(identity, arrays, workers), strict=True):
        assert result.dtype == array.dtype and np.array_equal(result, array)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_comes_in_its_place_with_its_message(workers):
    results = in_order(refuse, range(5), workers)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(ValueError, match="task 2: only 0 and 1 are allowed"):
        next(results)


def test_an_unforeseen_error_comes_with_the_workers_traceback():
    with pytest.raises(RuntimeError, match=r"(?s)in a worker:.*stumble.*ZeroDivisionError"):
        list(in_order(stumble, range(3), 2))


def test_a_killed_worker_is_an_error_and_no_endless_wait():
    with pytest.raises(RuntimeError, match="exit code -9 before its task did"):
        list(in_order(die, range(4), 2))


def test_workers_compute_on_one_thread_and_the_rest_keeps_its_own(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert list(in_order(threads, range(2), 2)) == [("1", "1")] * 2
    assert os.environ["OMP_NUM_THREADS"] == "7" and "OPENBLAS_NUM_THREADS" not in os.environ


def test_tasks_are_asked_for_only_when_a_worker_is_free():
    asked = []

    def tasks():
        for x in range(20):
            asked.append(x)
            yield x

    results = in_order(square, tasks(), 2)
    next(results)
    assert len(asked) == 5  # one was returned, and each worker has two
    results.close()


def test_workers_end_when_the_caller_has_enough():
    results = in_order(pid, range(10), 2)
    first, second = next(results), next(results)
    assert len({first, second, os.getpid()}) == 3
    results.close()
    assert not is_alive(first) and not is_alive(second)


def test_workers_end_when_their_caller_is_killed():
    code = """
import sys, time
sys.path[:0] = ["tests/unit", "."]
from robusteval.workers import in_order
from test_workers import pid
results = in_order(pid, range(10), 2)
print(next(results), next(results), flush=True)
time.sleep(60)
"""
    caller = subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert caller.stdout is not None
    workers = [int(number) for number in caller.stdout.readline().split()]
    assert len(workers) == 2
    caller.kill()
    caller.wait()
    assert all(gone(number) for number in workers)
