"""Write what a study's models said about each image as trials of model-vs-human."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from robusteval.files import read_json, replacing
from robusteval.published.trials import Trial, write_trials
from robusteval.records import OK, Records
from workflow_scripts._tables import read_cells


def export_trials(records: list[str], folders: Mapping[str, str], folder: str) -> None:
    """Write ``folder``/{test}/{test}_{model}_session-1.csv for each of the ``records``.

    ``folders`` are those of the models. Category and response are names of the study's classes;
    a broken cell has no file.
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    for (model, test), cell in read_cells(records).items():
        if cell.status == OK:
            classes = read_json(Path(folders[model]) / "card.json")["classes"]
            name = f"{test}_{model}_session-1.csv"
            with replacing(Path(folder) / test / name) as temporary:
                write_trials(temporary, trials_of(model, cell, classes))


def trials_of(model: str, cell: Records, classes: list[str]) -> Iterator[Trial]:
    """Yield a trial for each row of a cell; the condition of a corrupted image is as "fog 3"."""
    frame = cell.frame
    columns = (frame[key] for key in ("image_id", "condition", "severity", "label", "prediction"))
    for image, condition, severity, label, prediction in zip(*columns, strict=True):
        where = f"{condition} {severity}" if severity else str(condition)
        name = f"{where.replace(' ', '-')}_{image}.png"
        yield Trial(model, name, where, classes[label], classes[prediction])


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        export_trials(
            list(snakemake.input.records), snakemake.params.folders, snakemake.output.trials
        )
