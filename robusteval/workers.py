"""Tasks spread over processes, their results in order.

Every worker is started afresh and holds one end of a pipe of its own. When the process that asked
ends, however it ends, the pipe closes and the worker with it, so none is left behind.
"""

import itertools
import multiprocessing
import os
import pickle
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.reduction import DupFd
from tempfile import TemporaryFile
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Task = TypeVar("Task")
Result = TypeVar("Result")

AHEAD = 2  # tasks that a worker has at a time
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def in_order(
    function: Callable[[Task], Result], tasks: Iterable[Task], workers: int
) -> Iterator[Result]:
    """Yield ``function(task)`` of each task, in the order of ``tasks``.

    ``workers`` above 1 is a number of processes with one thread each; else the work is done here.
    A process has a task to go on with while its last result waits, so at most twice as many results
    as ``workers`` are held. ``function`` and tasks then travel by pickle.

    Raises:
        ValueError, OSError: what ``function`` raised, with its message.
        RuntimeError: ``function`` raised anything else, whose traceback is the message, or a worker
            was ended from outside.
    """
    if workers <= 1:
        yield from map(function, tasks)
        return
    team = [_Worker(function) for _ in range(workers)]
    try:
        waiting: deque[_Worker] = deque()  # in the order of their tasks
        for number, task in enumerate(tasks):
            worker = team[number % workers]
            if len(waiting) == AHEAD * workers:
                result = waiting.popleft().take()  # the same worker: they take turns
                worker.give(task)
                waiting.append(worker)
                yield result
            else:
                worker.give(task)
                waiting.append(worker)
        while waiting:
            yield waiting.popleft().take()
    finally:
        for worker in team:
            worker.end()


@dataclass(frozen=True)
class _Shared:
    """A result that lies in the memory that a worker shares with its caller.

    Through a pipe it would go in small pieces, for each of which the two wait for each other.
    """

    failed: bool
    shape: tuple[int, ...]
    dtype: str  # of an array, or "" of a pickle

    @classmethod
    def write(cls, failed: bool, result: Any, memory: int) -> "_Shared":
        is_array = isinstance(result, np.ndarray)
        array = result if is_array else np.frombuffer(pickle.dumps(result), np.uint8)
        _all(os.pwritev, memory, np.ascontiguousarray(array))
        return cls(failed, array.shape, array.dtype.str if is_array else "")

    def read(self, memory: int) -> Any:
        array = np.empty(self.shape, self.dtype or np.uint8)
        _all(os.preadv, memory, array)
        return array if self.dtype else pickle.loads(array.tobytes())


def _all(move: Callable[[int, list[Any], int], int], memory: int, array: NDArray[Any]) -> None:
    """Move all bytes of an array; one call moves at most 2 GiB."""
    content, done = array.reshape(-1).view(np.uint8), 0
    while done < content.size:
        done += move(memory, [content[done:].data], done)


class _Memory:
    """A file without a name, which the kernel frees with its last user; a worker is given a number.

    Turned into a pickle while the worker is started, the file is handed down as it is.
    """

    def __init__(self) -> None:
        with TemporaryFile() as file:
            self.number = os.dup(file.fileno())

    def __reduce__(self) -> tuple[Callable[[Any], int], tuple[Any]]:
        return _detached, (DupFd(self.number),)


def _detached(handed_down: Any) -> int:
    number: int = handed_down.detach()
    return number


class _Worker:
    """A process that does one task after another."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._memories = [_Memory() for _ in range(AHEAD)]
        self._taken = 0
        arguments = (function, other, self._memories)
        with _one_thread():
            self._process = context.Process(target=_serve, args=arguments, daemon=True)
            self._process.start()
        other.close()  # the worker's copy alone keeps its end open

    def give(self, task: Any) -> None:
        try:
            self._pipe.send(task)
        except OSError:
            raise self._ended() from None

    def take(self) -> Any:
        try:
            shared: _Shared = self._pipe.recv()
        except (EOFError, OSError):
            raise self._ended() from None
        result = shared.read(self._memories[self._taken % AHEAD].number)
        self._taken += 1
        if shared.failed:
            raise result
        return result

    def _ended(self) -> RuntimeError:
        self._process.join()
        return RuntimeError(
            f"a worker ended with exit code {self._process.exitcode} before its task did; if it "
            "was killed for want of memory, ask for fewer workers"
        )

    def end(self) -> None:
        self._pipe.close()
        self._process.terminate()
        self._process.join()
        for memory in self._memories:
            os.close(memory.number)


def _serve(function: Callable[[Any], Any], pipe: Connection, memories: list[int]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the asking process hears it, and closes the pipe
    try:
        for memory in itertools.cycle(memories):
            failed, result = _done(function, pipe.recv())
            pipe.send(_Shared.write(failed, result, memory))
    except (EOFError, OSError):  # the other end is closed
        return


def _done(function: Callable[[Any], Any], task: Any) -> tuple[bool, Any]:
    try:
        return False, function(task)
    except ValueError as error:
        return True, ValueError(str(error))
    except OSError as error:
        return True, OSError(str(error))
    except Exception:
        return True, RuntimeError(f"in a worker:\n{traceback.format_exc()}")


@contextmanager
def _one_thread() -> Iterator[None]:
    """Have processes started in the block compute on one thread each."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
