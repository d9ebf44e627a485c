"""Licences: what others published is taken only when it says under which licence."""

from collections.abc import Mapping
from typing import Any

KEY = "allow_unlicensed"


def licence_of(about: Mapping[str, Any], what: str, *, allow: bool) -> str | None:
    """Return the field ``licence`` of what is said ``about`` a published set or weights.

    Raises:
        ValueError: it is missing or empty, unless ``allow``; then it is None.
    """
    licence = str(about.get("licence") or "").strip()
    if not licence and not allow:
        raise ValueError(
            f"{what}: the field licence is missing; say there under which licence it was published "
            f"(an SPDX name such as Apache-2.0), or take it as it is: {KEY}: true in the study, or "
            f"`--config {KEY}=True`"
        )
    return licence or None
