"""What a check says about a model."""

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "look", "wrong"]
"""As expected; unusual, a person should look; numbers of this model would mislead."""


@dataclass(frozen=True)
class Finding:
    """The verdict of one check.

    ``check`` is its id, ``found`` one sentence with the numbers that were measured, ``why`` one
    sentence on what they mean for the numbers that follow.
    """

    check: str
    verdict: Verdict
    found: str
    why: str
