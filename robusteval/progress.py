"""A line every few seconds in the log of a long job: how much is done, how fast, how long yet."""

import logging
import time

log = logging.getLogger(__name__)


class Progress:
    """Counts finished items and logs, at most every ``seconds``, the rate and the time left."""

    def __init__(self, total: int, what: str, *, seconds: float = 5.0) -> None:
        self.total, self.what, self.seconds = total, what, seconds
        self.done, self.resumed = 0, 0
        self.start = self.last = time.monotonic()

    def skip(self, items: int) -> None:
        """Count items that an earlier run had finished; they do not enter the rate."""
        self.done += items
        self.resumed += items

    def __call__(self, items: int) -> None:
        """Count ``items`` more as done."""
        self.done += items
        now = time.monotonic()
        if now - self.last < self.seconds and self.done < self.total:
            return
        self.last = now
        rate = (self.done - self.resumed) / max(now - self.start, 1e-9)
        left = (self.total - self.done) / max(rate, 1e-9)
        log.info(
            "%s of %s %s, %.0f/s, %.0f s left", f"{self.done:,}", f"{self.total:,}", self.what,
            rate, left,
        )  # fmt: skip
