"""Work spread over processes, with results in the order of the tasks whatever their number."""

import ctypes
import multiprocessing
import os
import pickle
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.reduction import DupFd
from typing import Any, TypeVar

import numpy as np

Shared = TypeVar("Shared")
Task = TypeVar("Task")
Result = TypeVar("Result")

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of malloc.h

Packed = tuple[bytes, list[int]]  # a pickle without its arrays, the bytes of each of these

_shared: list[Any] = []  # of a worker process: what every one of its tasks is given, its _Memory


def in_order(
    function: Callable[[Shared, Task], Result],
    shared: Shared,
    tasks: Iterable[Task],
    *,
    workers: int,
) -> Iterator[Result]:
    """Yield ``function(shared, task)`` for each task, in order.

    ``shared`` reaches each process once. At most two tasks a worker are under way or waiting to be
    taken, so memory does not grow with the number of tasks. One worker is this process itself.
    Arrays in results come by shared memory: through a pipe they would go in pieces of 64 KiB, for
    each of which two processes wait for each other.

    Processes are started afresh rather than forked: the threads of pyarrow or torch do not survive
    a fork, and a lock that one of them holds would never open.

    Raises:
        ValueError: fewer than one worker.
        OSError: a process died.
    """
    if workers < 1:
        raise ValueError(f"{workers} workers: at least 1 expected")
    if workers == 1:
        for task in tasks:
            yield function(shared, task)
        return
    memory = _Memory(2 * workers)
    executor = ProcessPoolExecutor(
        workers, multiprocessing.get_context("spawn"), initializer=_start, initargs=(shared, memory)
    )
    waiting: deque[tuple[int, Future[Packed]]] = deque()

    def taken() -> Result:
        place, future = waiting.popleft()
        result: Result = memory.read(place, future.result())
        return result

    try:
        for number, task in enumerate(tasks):
            place = number % memory.places  # whose last result has been taken
            waiting.append((place, executor.submit(_call, function, task, place)))
            if len(waiting) == memory.places:
                yield taken()
        while waiting:
            yield taken()
    except BrokenProcessPool as error:
        raise OSError(
            "a worker process died, killed or out of memory; fewer workers need less of it"
        ) from error
    finally:
        executor.shutdown(cancel_futures=True)
        memory.close()


def enough(tasks: int, workers: int) -> int:
    """Return how many of ``workers`` are worth their start for ``tasks`` of a second or less."""
    return max(1, min(workers, tasks // 4))


class _Memory:
    """Places that this process shares with those it starts, for the arrays of one result each."""

    def __init__(self, places: int, files: list[int] | None = None) -> None:
        self.places = places
        self._files = [_nameless() for _ in range(places)] if files is None else files

    def __reduce__(self) -> Any:
        return _inherited, (self.places, [DupFd(file) for file in self._files])

    def write(self, place: int, result: Any) -> Packed:
        buffers: list[pickle.PickleBuffer] = []
        head = pickle.dumps(result, protocol=5, buffer_callback=buffers.append)
        views = [buffer.raw() for buffer in buffers]
        _all(os.pwrite, self._files[place], views)
        return head, [view.nbytes for view in views]

    def read(self, place: int, packed: Packed) -> Any:
        head, sizes = packed
        arrays = [np.empty(size, np.uint8) for size in sizes]
        _all(_pread_into, self._files[place], [array.data for array in arrays])
        return pickle.loads(head, buffers=arrays)

    def close(self) -> None:
        for file in self._files:
            os.close(file)


def _nameless() -> int:
    """Return a file in memory where there is such a thing; its last user's end frees it."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("results")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _inherited(places: int, files: list[Any]) -> _Memory:
    return _Memory(places, [file.detach() for file in files])


def _all(move: Callable[[int, memoryview, int], int], file: int, views: list[memoryview]) -> None:
    """Move the bytes of ``views``, one after the other; a call moves at most 2 GiB."""
    offset = 0
    for view in views:
        done = 0
        while done < view.nbytes:
            done += move(file, view[done:], offset + done)
        offset += view.nbytes


def _pread_into(file: int, view: memoryview, offset: int) -> int:
    return os.preadv(file, [view], offset)


def _start(shared: Any, memory: _Memory) -> None:
    _shared[:] = [shared, memory]
    _keep_freed_memory()
    threading.Thread(target=_die_with_parent, daemon=True).start()


def _keep_freed_memory() -> None:
    """Have glibc keep what arrays of a task free for those of the next one.

    Given back, it comes again page by page, which takes fast tasks a third of their time.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_MMAP_THRESHOLD, 32 << 20)  # the most there may be
        mallopt(M_TRIM_THRESHOLD, 256 << 20)


def _die_with_parent() -> None:
    """End this process when the one that started it is gone, which a killed one cannot ask for."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _call(function: Callable[[Any, Any], Any], task: Any, place: int) -> Packed:
    shared, memory = _shared
    packed: Packed = memory.write(place, function(shared, task))
    return packed
