"""Published flip probabilities of a reference model: the denominators of mFR."""

from pathlib import Path

from robusteval.published.rows import read_rows


def flip_probabilities(path: str | Path, name: str) -> dict[str, dict[str, float]]:
    """Return {family: {kind of perturbation: flip probability in [0, 1]}} of a model; {} if none.

    Raises:
        ValueError: the file ``path`` is not in the one format of published numbers.
    """
    families: dict[str, dict[str, float]] = {}
    for row in read_rows(path):
        if row.what == "flip_probability" and row.model == name:
            value = row.value if row.unit == "fraction" else row.percent / 100
            families.setdefault(row.test, {})[row.condition] = value
    return families
