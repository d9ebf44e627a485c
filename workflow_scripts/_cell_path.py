"""Where the result of one cell lies: the target to ask Snakemake for."""

from pathlib import Path

from workflow_scripts._schema import known, load_yaml, short
from workflow_scripts._study import check_study

FOLDERS = {
    "adversarial": "adversarial/{model}/{test}/records",
    "perturbed": "sequences/{model}/{test}",
    "probe": "probes/{model}/{test}",
    "searched": "searched/{model}/{test}/records",
}


def cell_path(study_file: Path, model: str, test: str, config: Path) -> str:
    """Return the path of what a ``model`` of a study does on a ``test``, one of either.

    Raises:
        StudyError: the study has a mistake or lacks the model or the test; the message lists them.
    """
    study = load_yaml(study_file)
    catalogue = check_study(study, config, [str(study_file)])
    known(short(study_file), "models", [model], study["models"])
    known(short(study_file), "tests", [test], study["tests"])
    kind = catalogue["tests"][test]["kind"]
    if kind == "searched" and "searched_models" in study:
        known(short(study_file), "searched_models", [model], study["searched_models"])
    name = FOLDERS.get(kind, "records/{model}/{test}").format(model=model, test=test)
    return f"results/{study['study']}/{name}.parquet"
