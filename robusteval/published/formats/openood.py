"""The result tables of OpenOOD: results/*.csv, a line a training method and score."""

from pathlib import Path

from robusteval.published._row import About, Row
from robusteval.published.formats._cells import lines_of, named_test, number

COLUMNS = {
    "Near-OOD_AUROC": ("auroc", "near"),
    "Far-OOD_AUROC": ("auroc", "far"),
    "ID_Accuracy": ("accuracy", ""),
}
MODEL = ("Training", "Arch")


def openood(path: str | Path, about: About) -> list[Row]:
    """Return AUROC on near and far unknown sets, and the accuracy, in percent.

    The model is training method and architecture, the condition the set and the score
    ("near, MSP"). Of a mean with its spread, "93.01 ± 0.25", the spread goes into the note. The
    accuracy, which no score changes, is taken once a model.
    """
    test = named_test(path, about, "imagenet_validation")
    rows: dict[tuple[str, ...], Row] = {}
    for place, cells in lines_of(path, (*MODEL[:1], "Postprocessor", *COLUMNS)):
        model = ", ".join(cells[key].strip() for key in MODEL if cells.get(key, "").strip())
        for column, (what, unknown) in COLUMNS.items():
            value, _, spread = cells[column].replace("+/-", "±").partition("±")
            if not value.strip():
                continue
            condition = f"{unknown}, {cells['Postprocessor'].strip()}" if unknown else ""
            note = f"spread {spread.strip()}" if spread else about.note
            extra = cells.get("Additional_Description", "").strip()
            said = {"test": test, "what": what, "condition": condition}
            said |= {"note": note, "preprocessing": extra or about.preprocessing}
            row = about.row(model, number(value), place, **said)
            if unknown or row.key not in rows:
                rows[(*row.key, place) if unknown else row.key] = row
    return list(rows.values())
