"""Scaling laws, distortion = a + b ln(error), where both columns were published."""

from collections.abc import Sequence

from robusteval.published._comparison import Comparison, to_the_digit
from robusteval.published._row import Row
from robusteval.published.identities import scaling_law
from robusteval.published.recomputed._tables import index, models_of

LEAST = 3  # models; a line fits any two


def scaling_laws(rows: Sequence[Row]) -> list[Comparison]:
    """Return each published slope of a scaling law beside that of a fit to the published columns.

    A slope stands in the table as ``scaling_slope`` of the model "all" with the distortion's name
    as its condition; the columns are ``distortion`` under that condition and ``accuracy`` on the
    same images. So far no paper's columns could be read, and the list is empty: their users add
    them.
    """
    table, compared = index(rows), []
    for row in rows:
        if row.what != "scaling_slope":
            continue
        error, size = [], []
        for model in models_of(rows, "distortion", row.test):
            accuracy = table.get(("accuracy", model, row.test, ""))
            distortion = table.get(("distortion", model, row.test, row.condition))
            if accuracy and distortion:
                error.append(1 - accuracy.percent / 100)
                size.append(distortion.value)
        if len(error) >= LEAST:
            compared.append(to_the_digit(scaling_law(error, size)[1], row))
    return compared
