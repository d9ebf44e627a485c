"""A study file out of a model's name and a folder of images, for who has one model to measure."""

from pathlib import Path
from typing import Any

import yaml

from robusteval.files import replacing
from robusteval.images._class_lists import IMAGENET, class_list
from robusteval.images._folder import image_files, natural
from workflow_scripts._counts import OF_SETS
from workflow_scripts._schema import StudyError, load_yaml
from workflow_scripts._study import check_study

MODES = {"center": "shorter_side", "squash": "squash", "border": "border"}  # of timm's crops
HEAD = """\
# yaml-language-server: $schema=schema.yaml
# Written by `python -m robusteval new-study`. Run it with
#   snakemake --cores all --resources gpu=4 --configfile {path}
# What the tests do is in config/catalogue/tests.yaml; add ids to `tests`, raise `counts`.
# The first of `scores` is that of DAR. Scores of features, such as knn and vim, want training
# images: `features: {{count: 5000, images: ID}}`, see docs/dar.md.
"""
DAR = {
    "calibration": "clean",
    "mask": "correct",
    "target_rate": 0.95,
    "rejected_mistake": "right",
    "averaging": "kinds",
}
SCORES = ["max_softmax", "max_logit", "energy", "negative_entropy", "gen", "margin"]


def new_study(
    name: str,
    timm_name: str,
    folder: Path,
    *,
    checkpoint: Path | None = None,
    tests: list[str],
    count: int = 1000,
    config: Path,
) -> str:
    """Write ``config``/NAME.yaml and return what to do with it.

    The model is what timm calls ``timm_name``, with the weights of ``checkpoint`` or, without one,
    timm's own. Its view, mean and standard deviation are those that timm has for it. How ``folder``
    is laid out is seen from what is in it.

    Raises:
        ValueError: timm has no such model, the folder has no layout that could be guessed, the
            model's classes are not the folder's, or a study of this name exists.
    """
    path = config / f"{name}.yaml"
    if path.exists():
        raise ValueError(f"{path} exists; choose another name or delete it")
    if checkpoint and not checkpoint.is_file():
        raise ValueError(f"--checkpoint {checkpoint}: no such file")
    if count < 1:
        raise ValueError(f"--count {count}: at least 1 expected")
    about = _about(timm_name)
    images, n = _images(folder, about["classes"] if checkpoint is None else None)
    model = {
        "builder": "timm",
        "arguments": {"name": timm_name},
        "weights": {"file": str(checkpoint)} if checkpoint else {"hub": True},
        "classes": images["classes"],
        "view": f"view_of_{name}",
        "mean": about["mean"],
        "std": about["std"],
    }
    entries = load_yaml(config / "catalogue" / "tests.yaml")
    kinds = dict.fromkeys(entries[test]["kind"] for test in tests if test in entries)
    counts = {"clean": n, **{kind: min(n, count) for kind in kinds if kind != "clean"}}
    study = {
        "study": name,
        "seed": 1,
        "images": f"images_of_{name}",
        "folders": {f"images_of_{name}": str(folder)},
        "models": [f"model_of_{name}"],
        "baseline": f"model_of_{name}",
        "tests": tests,
        "counts": counts | _smaller(tests, entries, counts, config),
        "dar": DAR,
        "scores": SCORES,
        "catalogue": {
            "images": {f"images_of_{name}": {**images, "count": n}},
            "views": {f"view_of_{name}": about["view"]},
            "models": {f"model_of_{name}": model},
        },
    }
    try:
        check_study(study, config, [])
    except StudyError as error:
        raise StudyError(str(error).removeprefix(": ")) from error
    with replacing(path) as temporary:
        text = yaml.safe_dump(study, sort_keys=False, width=100, default_flow_style=None)
        temporary.write_text(HEAD.format(path=path) + text)
    order = ""
    if isinstance(images["classes"], list) and sorted(images["classes"]) != images["classes"]:
        order = (
            "\nThe classes are in natural order, 2 before 10. If the checkpoint was trained with "
            "folders sorted as strings, sort `classes` so; tables/checks.csv will tell."
        )
    return f"{path} written; run it with\nsnakemake --cores all --configfile {path}{order}"


def _smaller(
    tests: list[str], entries: dict[str, Any], counts: dict[str, int], config: Path
) -> dict[str, int]:
    """Return the numbers of images of those sets of ``tests`` that have fewer than ``counts``."""
    images = load_yaml(config / "catalogue" / "images.yaml")
    named = {
        name: counts[entries[test]["kind"]]
        for test in tests
        if test in entries and entries[test]["kind"] in OF_SETS
        for name in entries[test]["sets"]
    }
    exist = {name: images[name]["count"] for name in named if "count" in images.get(name, {})}
    return {name: n for name, n in exist.items() if n < named[name]}


def _about(name: str) -> dict[str, Any]:
    """Return what timm knows about a model's input and classes."""
    import timm  # takes seconds, and only this command needs it

    if not timm.is_model(name.split(".")[0]):
        close = timm.list_models(f"*{name.split('.')[0][:8]}*")[:5]
        raise StudyError(f"timm has no model {name!r}; close are {', '.join(close) or 'none'}")
    try:
        known = timm.get_pretrained_cfg(name)
    except (RuntimeError, ValueError) as error:
        raise StudyError(f"timm has no weights {name!r}: {' '.join(str(error).split())}") from error
    if known is None:
        raise StudyError(f"timm does not say how images are prepared for {name!r}; write the study")
    height, width = known.input_size[1:]
    if height != width:
        raise StudyError(f"{name}: input of {height} x {width}; only squares have a view")
    return {
        "classes": known.num_classes,
        "mean": list(known.mean),
        "std": list(known.std),
        "view": {
            "size": height,
            "crop_fraction": known.crop_pct,
            "interpolation": known.interpolation,
            "resize": MODES[known.crop_mode],
        },
    }


def _images(folder: Path, outputs: int | None) -> tuple[dict[str, Any], int]:
    """Return the entry of an image set for ``folder`` and its number of images.

    ``outputs`` is the number of the model's classes, where it is known.
    """
    from robusteval.images._labels import Classes
    from robusteval.plugins import load

    tables = sorted(folder.glob("*.csv"))
    options: dict[str, Any] = {}
    classes: str | list[str]
    if list(folder.glob("*.parquet")):
        layout, classes = "parquet", IMAGENET
    elif len(tables) == 1:
        layout, classes, options = "csv", IMAGENET, {"table": tables[0].name}
    else:
        paths = image_files(folder)
        names = sorted({path.partition("/")[0] for path in paths if "/" in path}, key=natural)
        if not names:
            raise ValueError(
                f"{folder}: neither a folder for each class, nor one CSV file with columns file "
                f"and label, nor parquet files; write the study by hand, see docs/images.md"
            )
        layout = "numbered_folders" if all(map(str.isdigit, names)) else "wnid_folders"
        known = set(class_list(IMAGENET))
        numbers = layout == "numbered_folders" and len(names) == 1000
        classes = IMAGENET if numbers or set(names) <= known else names
    number = len(class_list(IMAGENET)) if isinstance(classes, str) else len(classes)
    if outputs is not None and outputs != number:
        raise ValueError(
            f"{folder}: {number} classes, but timm's weights of this model tell {outputs} apart; "
            f"give a --checkpoint that was trained on these classes"
        )
    ids = class_list(classes) if isinstance(classes, str) else classes
    listing = load("images.layouts", layout)(folder, Classes(ids), **options)
    entry = {"layout": layout, "options": options, "classes": classes}
    return entry, len(listing.names)
