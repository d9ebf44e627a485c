"""A device for each job: leases that the kernel frees when a process dies, however it dies.

They are locks on files in one folder of the machine, so that jobs of other checkouts, and of other
people, are seen too.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

LEASES = Path("/tmp/robusteval-devices")  # not $TMPDIR, which may be a job's own
POLL = 0.5  # seconds between two looks at the devices
SHARED = "ROBUSTEVAL_JOBS_PER_DEVICE"
MOST = 16  # jobs on a device: each place is a file that every job on it opens


def jobs_per_device(environment: Mapping[str, str] = os.environ) -> int:
    """Return how many jobs may share a device: ``ROBUSTEVAL_JOBS_PER_DEVICE``, or one.

    Raises:
        ValueError: it is not a whole number from 1 to 16.
    """
    given = environment.get(SHARED, "1")
    if not given.isdecimal() or not 1 <= int(given) <= MOST:
        raise ValueError(f"{SHARED}={given}: a whole number of jobs, 1 to {MOST}, expected")
    return int(given)


@contextmanager
def lease(names: Sequence[str], jobs: int = 1, folder: Path = LEASES) -> Iterator[str]:
    """Give one of the devices ``names``, once fewer than ``jobs`` others use it.

    A job holds one of the first ``jobs`` places of its device, and keeps the further ones empty.
    Where jobs were told different numbers, the strictest of those on a device therefore holds.
    """
    _open_to_all(folder)
    while True:
        # All first places before any second one: jobs spread over the devices.
        for place in range(jobs):
            for name in names:
                files = _taken(folder, name, place, jobs)
                if files:
                    try:
                        yield name
                    finally:
                        for file in files:
                            os.close(file)
                    return
        time.sleep(POLL)


def _taken(folder: Path, name: str, place: int, jobs: int) -> list[int]:
    """Return the open files that are the lease of a place on a device; none if it is taken."""
    stem = "".join(letter if letter.isalnum() else "_" for letter in name)
    empty = dict.fromkeys(range(jobs, MOST), fcntl.LOCK_SH)  # for all who want them so
    files: list[int] = []
    for number, kind in {place: fcntl.LOCK_EX, **empty}.items():
        found = _locked(folder / f"{stem}.{number}", kind)
        if found is None:
            for held in files:
                os.close(held)
            return []
        files.append(found)
    return files


def _locked(path: Path, kind: int) -> int | None:
    """Return the open file at ``path`` with a lock on it, None if another lock excludes it."""
    with suppress(FileExistsError):
        # Made once and then only read: a file of someone else's may be locked, not be written.
        made = os.open(path, os.O_CREAT | os.O_EXCL)
        os.fchmod(made, 0o644)  # for others to read, whatever this person's umask is
        os.close(made)
    file = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
        if _same(file, path):
            return file
    except BlockingIOError:
        pass
    os.close(file)
    return None


def _same(file: int, path: Path) -> bool:
    """Return whether an open file is still the one at ``path``, which a tidy system may delete."""
    with suppress(FileNotFoundError):
        return os.fstat(file).st_ino == path.stat().st_ino
    return False


def _open_to_all(folder: Path) -> None:
    """Make the folder of leases, in which everybody on the machine may make files."""
    folder.mkdir(parents=True, exist_ok=True)
    with suppress(PermissionError):  # it is another person's, who has opened it
        folder.chmod(0o1777)


def physical(name: str, uuid_of: Callable[[int], str]) -> str:
    """Return the name of a device that all jobs of a machine have for it.

    "cuda:0" is another one for each job that a scheduler hides the others from.
    """
    kind, _, index = name.partition(":")
    return f"cuda_{uuid_of(int(index or 0))}" if kind == "cuda" else name
