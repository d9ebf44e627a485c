"""A number that was measured here, in the words of published ones."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """What was measured of one model.

    ``percent`` with its 95% interval ``low`` to ``high``, None where it has none; ``rounding`` is
    half of its last digit; ``built`` says that corrupted images were made here instead of read
    from a release.
    """

    what: str
    model: str
    test: str
    condition: str
    percent: float
    n: int | None
    low: float | None = None
    high: float | None = None
    rounding: float = 0.005
    preprocessing: str = ""
    built: bool = False
