"""Published numbers of one model that must fit each other: FMR = PA / SA, CAV = CRR - CSR."""

from collections.abc import Callable, Mapping, Sequence

from robusteval.published._comparison import Comparison, to_the_digit
from robusteval.published._row import Row
from robusteval.published.identities import accuracy_variance, fmr
from robusteval.published.recomputed._tables import index

INPUTS = "and the same of the two values that it is computed from"
Relation = tuple[str, str, Callable[[float, float], float]]
RELATIONS: Mapping[str, Relation] = {
    "fmr": ("standard_accuracy", "perturbed_accuracy", fmr),
    "cav": ("crr", "csr", accuracy_variance),
}


def relations(rows: Sequence[Row]) -> list[Comparison]:
    """Return each published FMR and CAV beside the one from its parts.

    A value whose two parts were not published for the same model, test and condition is left out.
    """
    table, compared = index(rows), []
    for row in rows:
        if row.what not in RELATIONS:
            continue
        first, second, relation = RELATIONS[row.what]
        parts = [table.get((w, row.model, row.test, row.condition)) for w in (first, second)]
        a, b = parts
        if a and b:
            ours = relation(a.percent, b.percent)
            # Each part may be off by half a digit: what that moves the value by, at the worst.
            moved = abs(relation(a.percent + a.rounding, b.percent - b.rounding) - ours)
            compared.append(to_the_digit(ours, row, slack=moved, reason=INPUTS))
    return compared
