"""One name or several, as a study may give them."""

from collections.abc import Iterable, Sequence


def several(given: str | Sequence[str], known: Iterable[str], what: str) -> list[str]:
    """Return one name or several as a list.

    Raises:
        ValueError: there is none, or one that is not ``known``.
    """
    names = [given] if isinstance(given, str) else list(given)
    if not names or (unknown := [name for name in names if name not in known]):
        wrong = repr(unknown[0]) if names else "none"
        raise ValueError(f"{what} {wrong}: one or several of {', '.join(known)} expected")
    return names
