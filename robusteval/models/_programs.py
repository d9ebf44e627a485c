"""Models that are programs of somebody: they run only where a person has said that they may."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

PROGRAMS = {"torchscript": "a TorchScript program", "function": "a Python function"}
WARNING = (
    "it runs with all your rights and may read, change or send whatever you can; if you know where "
    "it comes from, say trust: true"
)

_trusted: ContextVar[bool] = ContextVar("trusted", default=False)


@contextmanager
def trusting(trust: bool) -> Iterator[None]:
    """Let programs run in the block if ``trust``; without such a block none does."""
    token = _trusted.set(trust)
    try:
        yield
    finally:
        _trusted.reset(token)


def check_trusted(builder: str, what: str) -> None:
    """Check that a program may run; its builder asks, so that no way leads around the question.

    Raises:
        ValueError: nobody has said so.
    """
    if not _trusted.get():
        raise ValueError(f"{what}: {PROGRAMS[builder]}; {WARNING} in the study")
