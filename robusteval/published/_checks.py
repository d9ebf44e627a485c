"""What can be wrong with published numbers that were typed in or read from a file."""

import difflib
import math
from collections.abc import Iterable, Sequence

from robusteval.corruptions._severities import FAMILIES
from robusteval.published._row import BOUNDED, GRADES, UNITS, Row

GENERAL = ("fifteen", "extra")  # means over the corruptions of a part


def check_rows(rows: Sequence[Row]) -> None:
    """Check the rows of one table.

    Raises:
        ValueError: the first mistake, with its place: a value or unit that cannot be, fractions
            called percentages, a row twice, a corruption given by its position, or a grade that is
            none, such as a number from memory.
    """
    seen: dict[tuple[str, ...], Row] = {}
    for row in rows:
        _check_words(row)
        _check_value(row)
        _check_condition(row)
        if row.key in seen:
            raise ValueError(
                f"{row.place}: {row.what} of {row.model} on {_images(row)} stands at "
                f"{seen[row.key].place} already; keep one of the rows"
            )
        seen[row.key] = row
    _check_percentages(rows)


def choose_models(rows: Sequence[Row], models: Iterable[str]) -> list[Row]:
    """Return the rows of these models.

    Raises:
        ValueError: there is none of one of them; the message suggests names that are near.
    """
    names, chosen = list(dict.fromkeys(row.model for row in rows)), set(models)
    for model in sorted(chosen - set(names)):
        near = near_matches(model, names)
        meant = f"did you mean {' or '.join(near)}?" if near else f"there are {listed(names)}"
        where = rows[0].place.partition(", row")[0] if rows else "no number"
        raise ValueError(f"{where}: unknown model {model!r}; {meant}")
    return [row for row in rows if row.model in chosen]


def near_matches(name: str, names: Iterable[str]) -> list[str]:
    """Return up to three of ``names`` that ``name`` may have been meant for, the nearest first.

    An architecture is near its weights, as resnet50 is near resnet50.tv_in1k.
    """
    lower = {n.lower(): n for n in names}
    tagged = [n for n in lower if n.partition(".")[0] == name.lower() != n]
    near = difflib.get_close_matches(name.lower(), lower, n=3, cutoff=0.75)
    return [lower[n] for n in dict.fromkeys([*near, *tagged])][:3]


def listed(names: Sequence[str], most: int = 12) -> str:
    """Return names in a row, the first ``most`` of them."""
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest


def _check_words(row: Row) -> None:
    if row.grade not in GRADES:
        advice = "; a recalled number is not published" if "recall" in row.grade else ""
        raise ValueError(
            f"{row.place}: grade {row.grade!r}; one of {', '.join(GRADES)} expected{advice}"
        )
    if row.unit not in UNITS:
        raise ValueError(f"{row.place}: unit {row.unit!r}; one of {', '.join(UNITS)} expected")
    for name in ("model", "what", "test", "source", "licence"):
        if not getattr(row, name):
            raise ValueError(f"{row.place}: {name} is empty; every number needs one")


def _check_value(row: Row) -> None:
    try:
        value = row.value
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f"{row.place}: value {row.printed!r}; a number expected")
    if row.what not in BOUNDED or row.unit == "number":
        return
    if row.unit == "fraction" and not 0 <= value <= 1:
        mixed = "; is it in percent?" if 1 < value <= 100 else ""
        raise ValueError(
            f"{row.place}: {row.what} {row.printed} is called a fraction; 0 to 1 expected{mixed}"
        )
    if row.unit == "percent" and not 0 <= value <= 100:
        raise ValueError(f"{row.place}: {row.what} {row.printed} percent; 0 to 100 expected")


def _check_percentages(rows: Sequence[Row]) -> None:
    """Refuse shares called percentages of which none is above 1, as fractions are."""
    shares = [row for row in rows if row.what in BOUNDED and row.unit == "percent"]
    for what in dict.fromkeys(row.what for row in shares):
        values = [row for row in shares if row.what == what]
        if max(row.value for row in values) <= 1 and (some := [r for r in values if r.value > 0]):
            raise ValueError(
                f"{some[0].place}: {what} {some[0].printed} percent, and none of the table is "
                f"above 1; for fractions write the unit fraction (0.0076 for 0.76 percent)"
            )


def _check_condition(row: Row) -> None:
    """Refuse a corruption that is no name: lists in different orders circulate."""
    if not row.test.endswith("_c") or not row.condition:
        return
    names = FAMILIES.get(row.test, FAMILIES["imagenet_c"])  # CIFAR-100-C has those names too
    name = row.condition.partition(",")[0].split(" ")[0]
    if name not in names and name not in GENERAL:
        near = near_matches(name, names)
        meant = f"did you mean {near[0]}?" if near else "key it by name, as gaussian_noise"
        by_place = "a place in a list" if name.strip("c_").isdigit() else "no corruption"
        raise ValueError(f"{row.place}: condition {name!r} is {by_place} of {row.test}; {meant}")


def _images(row: Row) -> str:
    return f"{row.test}, {row.condition}" if row.condition else row.test
