"""Work that asks questions and waits for the answers, so that many can be answered at once.

Code that calls a model wherever it likes, image by image, can thus share passes with others of its
kind. Each task has a thread, but one thread runs at a time, and each has its own stream of torch's
random numbers, so that what a task does depends on its answers alone.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

import torch

Question = TypeVar("Question")
Answer = TypeVar("Answer")


class _Abandoned(BaseException):
    """Ends the work of a task whose answer will not come; nothing on the way should catch it."""


class Task(Generic[Question, Answer]):
    """A function ``work(ask)`` that stops at each ``ask(question)`` until it is resumed.

    Attributes:
        question: what the work waits for, or asked last; None before it begins.
        done: whether the work has come to its end.
    """

    def __init__(self, work: Callable[[Callable[[Question], Answer]], None]) -> None:
        self.question: Question | None = None
        self.done = False
        self._work = work
        self._answer: Answer | None = None
        self._error: BaseException | None = None
        self._abandoned = False
        self._random = torch.get_rng_state()
        self._turn, self._back = threading.Semaphore(0), threading.Semaphore(0)
        # A daemon: a forgotten task must not keep the process alive.
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def begun(self) -> bool:
        """Whether the work has been resumed for the first time."""
        return self._thread.ident is not None

    def resume(self, answer: Answer | None = None) -> None:
        """Give the ``answer`` and run the work up to its next question, or to its end.

        torch's global generator, which the work may seed and use, is left as it was.

        Raises:
            BaseException: whatever the work raises.
        """
        assert not self.done
        self._answer = answer
        before = torch.get_rng_state()
        torch.set_rng_state(self._random)
        if self.begun:
            self._turn.release()
        else:
            self._thread.start()
        self._back.acquire()
        self._random = torch.get_rng_state()
        torch.set_rng_state(before)
        if self._error:
            raise self._error

    def abandon(self) -> None:
        """End the work, whatever it waits for."""
        if self.begun and not self.done:
            self._abandoned = True
            self._turn.release()
            self._thread.join()
        self.done = True

    def _ask(self, question: Question) -> Answer:
        self.question = question
        self._back.release()
        self._turn.acquire()
        if self._abandoned:
            raise _Abandoned
        assert self._answer is not None
        return self._answer

    def _run(self) -> None:
        try:
            self._work(self._ask)
        except _Abandoned:
            pass
        except BaseException as error:  # raised again where the task was resumed
            self._error = error
        finally:
            self.done = True
            self._back.release()


@contextmanager
def generators_kept() -> Iterator[None]:
    """Leave torch's global generators, those of CUDA devices too, as they were before the block."""
    used = bool(torch.cuda.is_initialized())  # type: ignore[no-untyped-call]
    with torch.random.fork_rng(range(torch.cuda.device_count()) if used else ()):
        yield
