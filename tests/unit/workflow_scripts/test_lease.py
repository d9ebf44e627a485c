"""Leases of devices, with processes that only say when they hold one: no device is needed."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from workflow_scripts._lease import jobs_per_device, lease, physical

ROOT = Path(__file__).parents[3]
DEVICES = "fake:0,fake:1"
# Says "+ device" and "- device" on one stream with all others: lines this short are not torn.
HOLD = """
import os, sys, time
from pathlib import Path
from workflow_scripts._lease import jobs_per_device, lease
names, folder, seconds = sys.argv[1].split(","), Path(sys.argv[2]), float(sys.argv[3])
with lease(names, jobs_per_device(), folder) as name:
    print("+", name, os.getpid(), flush=True)
    time.sleep(seconds)
    print("-", name, os.getpid(), flush=True)
"""


def hold(folder, seconds, *, jobs=1, names=DEVICES, stdout=subprocess.PIPE, cwd=ROOT):
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, names, str(folder), str(seconds)],
        stdout=stdout,
        text=True,
        cwd=cwd,
        env={**os.environ, "ROBUSTEVAL_JOBS_PER_DEVICE": str(jobs), "PYTHONPATH": str(ROOT)},
    )


def end(*processes):
    for process in processes:
        process.kill()
        process.wait()


def taken(process):
    return process.stdout.readline().split()[1]


@pytest.mark.parametrize(("jobs", "count"), [(1, 2), (2, 4)])
def test_a_device_has_as_many_jobs_as_it_allows_and_the_next_waits_until_one_dies(
    tmp_path, jobs, count
):
    held = [hold(tmp_path, 60, jobs=jobs) for _ in range(count)]
    last = None
    try:
        devices = sorted(map(taken, held))
        assert devices == sorted(DEVICES.split(",") * jobs)
        last = hold(tmp_path, 0, jobs=jobs)
        time.sleep(2)  # longer than Python takes to start and to look twice
        assert last.poll() is None
        held[0].send_signal(signal.SIGKILL)
        assert taken(last) in DEVICES
        assert last.wait(timeout=30) == 0
    finally:
        end(*held, *([last] if last else []))


def test_the_second_job_takes_another_device_where_each_allows_two(tmp_path):
    held = [hold(tmp_path, 60, jobs=2)]
    try:
        first = taken(held[0])
        held.append(hold(tmp_path, 60, jobs=2))
        assert taken(held[1]) != first
    finally:
        end(*held)


def test_a_job_that_was_promised_a_device_alone_is_alone_whatever_others_were_told(tmp_path):
    alone = hold(tmp_path, 60, jobs=1, names="fake:0")
    sharing = waiting = None
    try:
        assert taken(alone) == "fake:0"
        sharing = hold(tmp_path, 60, jobs=3, names="fake:0")
        time.sleep(1.5)  # longer than Python takes to start and to look twice
        assert sharing.poll() is None
        end(alone)
        assert taken(sharing) == "fake:0"
        waiting = hold(tmp_path, 0, jobs=1, names="fake:0")
        time.sleep(1.5)
        assert waiting.poll() is None
        end(sharing)
        assert taken(waiting) == "fake:0"
    finally:
        end(*(p for p in (alone, sharing, waiting) if p))


@pytest.mark.parametrize("strict_first", [True, False])
def test_of_jobs_that_were_told_different_numbers_the_strictest_on_a_device_holds(
    tmp_path, strict_first
):
    """Two that allow two jobs and one that allows three, or the other way around."""
    first, last = (2, 3) if strict_first else (3, 2)
    held = [hold(tmp_path, 60, jobs=first, names="fake:0") for _ in range(first)]
    waiting = None
    try:
        assert [taken(process) for process in held] == ["fake:0"] * first
        waiting = hold(tmp_path, 0, jobs=last, names="fake:0")
        time.sleep(1.5)  # longer than Python takes to start and to look twice
        assert waiting.poll() is None
        end(*held)
        assert taken(waiting) == "fake:0"
    finally:
        end(*held, *([waiting] if waiting else []))


@pytest.mark.parametrize("jobs", [1, 2])
def test_under_load_and_kills_no_device_has_more_jobs_than_it_allows(tmp_path, jobs):
    """Sixteen jobs, every fourth one killed while it holds a device or waits for one."""
    said = tmp_path / "said"
    chance = random.Random(jobs)
    with said.open("a") as file:
        running = [
            hold(tmp_path / "leases", 0.3, jobs=jobs, stdout=file.fileno()) for _ in range(16)
        ]
        victims = running[::4]
        for victim in victims:
            time.sleep(chance.uniform(0, 0.5))
            os.write(file.fileno(), f"killed - {victim.pid}\n".encode())
            victim.kill()
        for process in running:
            process.wait(timeout=60)
    assert all(p.returncode == 0 for p in running if p not in victims)
    holding: dict[str, str] = {}
    most = 0
    for what, name, pid in map(str.split, said.read_text().splitlines()):
        if what == "+":
            holding[pid] = name
            most = max(most, list(holding.values()).count(name))
        else:
            holding.pop(pid, None)
    assert not holding and most == jobs


def test_jobs_of_two_checkouts_see_each_other(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    first = hold(tmp_path / "leases", 60, names="fake:0", cwd=tmp_path / "one")
    second = None
    try:
        assert taken(first) == "fake:0"
        second = hold(tmp_path / "leases", 0, names="fake:0", cwd=tmp_path / "two")
        time.sleep(1.5)
        assert second.poll() is None
    finally:
        end(*(p for p in (first, second) if p))


def test_the_folder_of_leases_is_one_of_the_machine():
    from workflow_scripts._lease import LEASES

    assert LEASES.is_absolute() and not LEASES.is_relative_to(ROOT)


def test_a_lease_file_deleted_under_a_job_is_made_again(tmp_path):
    with lease(["fake:0"], folder=tmp_path):
        (tmp_path / "fake_0.0").unlink()
    with lease(["fake:0"], folder=tmp_path) as name:
        assert name == "fake:0"


def test_a_gpu_has_the_name_of_its_driver_whatever_a_process_sees():
    assert physical("cuda:1", {1: "GPU-ab"}.__getitem__) == "cuda_GPU-ab"
    assert physical("cuda", {0: "GPU-cd"}.__getitem__) == "cuda_GPU-cd"
    assert physical("fake:0", lambda index: "") == "fake:0"


@pytest.mark.parametrize("given", ["0", "-1", "two", "1.5", "", "17"])
def test_a_number_of_jobs_that_is_none_is_an_error(given):
    with pytest.raises(ValueError, match="a whole number of jobs, 1 to 16, expected"):
        jobs_per_device({"ROBUSTEVAL_JOBS_PER_DEVICE": given})
    assert jobs_per_device({}) == 1


def test_others_may_read_what_a_careful_person_has_made(tmp_path):
    """Else a job of somebody else ended in an error where it should wait."""
    before = os.umask(0o077)
    try:
        with lease(["fake:0"], 2, tmp_path / "leases"):
            pass
    finally:
        os.umask(before)
    files = list((tmp_path / "leases").iterdir())
    assert len(files) == 1 + 14  # a place that was held and those that were kept empty
    assert all(path.stat().st_mode & 0o777 == 0o644 for path in files)
    assert (tmp_path / "leases").stat().st_mode & 0o7777 == 0o1777
