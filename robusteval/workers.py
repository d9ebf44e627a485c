"""Tasks spread over processes, their results in order.

Every worker is started afresh and holds one end of a pipe of its own. When the process that asked
ends, however it ends, the pipe closes and the worker with it, so none is left behind.
"""

import multiprocessing
import os
import signal
import traceback
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

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def in_order(
    function: Callable[[Task], Result], tasks: Iterable[Task], workers: int
) -> Iterator[Result]:
    """Yield ``function(task)`` of each task, in the order of ``tasks``.

    ``workers`` above 1 is a number of processes with one thread each; else the work is done here.
    Each process works on one task ahead, so no more than ``workers`` results wait at a time.
    ``function``, tasks and results then travel by pickle, arrays as results by shared memory.

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
        waiting: list[_Worker] = []  # in the order of their tasks
        for task in tasks:
            if len(waiting) < workers:
                worker = team[len(waiting)]
                worker.give(task)
            else:
                worker = waiting.pop(0)
                result = worker.take()
                worker.give(task)
                yield result
            waiting.append(worker)
        for worker in waiting:
            yield worker.take()
    finally:
        for worker in team:
            worker.end()


@dataclass(frozen=True)
class _Shared:
    """An array that lies in the memory that a worker shares with its caller.

    Through a pipe it would go in small pieces, for each of which the two wait for each other.
    """

    shape: tuple[int, ...]
    dtype: str

    @classmethod
    def write(cls, array: NDArray[Any], memory: int) -> "_Shared":
        _all(os.pwritev, memory, np.ascontiguousarray(array))
        return cls(array.shape, array.dtype.str)

    def read(self, memory: int) -> NDArray[Any]:
        array = np.empty(self.shape, self.dtype)
        _all(os.preadv, memory, array)
        return array


def _all(move: Callable[[int, list[Any], int], int], memory: int, array: NDArray[Any]) -> None:
    """Move all bytes of an array; one call moves at most 2 GiB."""
    content, done = array.reshape(-1).view(np.uint8), 0
    while done < content.size:
        done += move(memory, [content[done:].data], done)


class _Worker:
    """A process that does one task after another."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        with TemporaryFile() as file:  # has no name, so the kernel frees it with its last user
            self._memory = os.dup(file.fileno())
        arguments = (function, other, DupFd(self._memory))
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
            failed, result = self._pipe.recv()
        except (EOFError, OSError):
            raise self._ended() from None
        if failed:
            raise result
        return result.read(self._memory) if isinstance(result, _Shared) else result

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
        os.close(self._memory)


def _serve(function: Callable[[Any], Any], pipe: Connection, shared: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the asking process hears it, and closes the pipe
    memory = shared.detach()
    try:
        while True:
            failed, result = _done(function, pipe.recv())
            if isinstance(result, np.ndarray):
                result = _Shared.write(result, memory)
            pipe.send((failed, result))
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
