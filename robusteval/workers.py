"""Work spread over processes, with results in the order of the tasks whatever their number."""

import multiprocessing
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

Shared = TypeVar("Shared")
Task = TypeVar("Task")
Result = TypeVar("Result")

_shared: list[Any] = []  # of a worker process: what every one of its tasks is given


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
    executor = ProcessPoolExecutor(
        workers, multiprocessing.get_context("spawn"), initializer=_start, initargs=(shared,)
    )
    waiting: deque[Future[Result]] = deque()
    try:
        for task in tasks:
            waiting.append(executor.submit(_call, function, task))
            if len(waiting) >= 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        raise OSError(
            "a worker process died, killed or out of memory; fewer workers need less of it"
        ) from error
    finally:
        executor.shutdown(cancel_futures=True)


def enough(tasks: int, workers: int) -> int:
    """Return how many of ``workers`` are worth their start for ``tasks`` of a second or less."""
    return max(1, min(workers, tasks // 4))


def _start(shared: Any) -> None:
    _shared[:] = [shared]
    threading.Thread(target=_die_with_parent, daemon=True).start()


def _die_with_parent() -> None:
    """End this process when the one that started it is gone, which a killed one cannot ask for."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _call(function: Callable[[Any, Any], Result], task: Any) -> Result:
    return function(_shared[0], task)
