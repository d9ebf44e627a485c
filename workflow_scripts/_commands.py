"""The commands of ``python -m robusteval``: what is done before or after a study runs."""

import argparse
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

from workflow_scripts._cell_path import cell_path
from workflow_scripts._new_study import new_study
from workflow_scripts._run import run
from workflow_scripts._schema import StudyError
from workflow_scripts._verify import MismatchError, verify

CONFIG = Path("config")
TESTS = ["clean", "imagenet_c", "unrecognisable", "fgsm_small", "pgd_linf_small"]


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return 0, or 1 after one line that says what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m robusteval", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    _add_new_study(commands)
    _add_path(commands)
    _add_diff(commands)
    _add_import(commands)
    _add_verify(commands)
    _add_estimate(commands)
    _add_run(commands)
    _add_archive(commands)
    options = vars(parser.parse_args(arguments))
    del options["command"]
    try:
        print(options.pop("run")(**options))
    except (StudyError, ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except MismatchError as error:
        print(error)
        return 1
    return 0


def _add_new_study(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    new = commands.add_parser("new-study", help="write a study of one timm model and one folder")
    new.add_argument("name", help="of the study: lower-case letters, digits and _")
    new.add_argument("--model", required=True, dest="timm_name", help="what timm calls it")
    new.add_argument("--images", required=True, type=Path, dest="folder", help="a folder of images")
    new.add_argument(
        "--checkpoint", type=Path, help="weights of your own, else timm's from its hub"
    )
    new.add_argument("--tests", nargs="+", default=TESTS, help=f"default: {' '.join(TESTS)}")
    new.add_argument("--count", type=int, default=1000, help="images a test beside the clean one")
    new.set_defaults(run=lambda **options: new_study(**options, config=CONFIG))


def _add_path(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    path = commands.add_parser("path", help="print where the result of one cell lies")
    path.add_argument("study_file", type=Path, metavar="STUDY", help="as config/demo.yaml")
    path.add_argument("model")
    path.add_argument("test")
    path.set_defaults(run=lambda **options: cell_path(**options, config=CONFIG))


def _add_diff(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    compare = commands.add_parser("diff", help="say what two studies differ in beyond chance")
    compare.add_argument("study_a", type=Path, metavar="STUDY_A", help="as results/demo")
    compare.add_argument("study_b", type=Path, metavar="STUDY_B")
    compare.set_defaults(run=_diff)


def _add_import(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    add = commands.add_parser(
        "import", help="take others' result files among the published numbers"
    )
    add.add_argument("paths", nargs="+", type=Path, metavar="FILE", help="CSV, or RobustBench JSON")
    add.add_argument("--source", required=True, help="repository or paper, with table or file")
    add.add_argument("--licence", default="number quoted", help="that allows to copy the numbers")
    add.add_argument("--test", default="", help="id of the images, as imagenet_v2 or cifar10_c")
    add.add_argument("--format", default="", dest="layout", help="default: seen from the columns")
    add.add_argument("--what", default="accuracy", help="of a table by corruption; as error")
    add.add_argument("--unit", default="", help="percent, fraction or number")
    add.add_argument("--n", type=int, help="number of images")
    add.add_argument("--preprocessing", default="", help='as "224 px, crop 0.875, bilinear"')
    add.add_argument("--grade", default="file", help="file, text, own, ...; see docs/published.md")
    add.add_argument("--name", default="", help="of the table; default: that of the first file")
    add.add_argument("--models", nargs="+", default=(), help="these only")
    add.add_argument("--replace", action="store_true", dest="overwrite", help="a table of the name")
    add.set_defaults(run=_import)


def _add_verify(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    check = commands.add_parser("verify", help="say what of a finished study does not match")
    check.add_argument("study", type=Path, metavar="STUDY", help="as results/demo")
    check.add_argument("--quick", action="store_true", help="make no table again")
    check.set_defaults(run=verify)


def _add_estimate(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    cost = commands.add_parser("estimate", help="say what a study will cost before it runs")
    cost.add_argument("study_file", type=Path, metavar="STUDY", help="as config/demo.yaml")
    cost.add_argument(
        "--rate",
        nargs="+",
        action="extend",
        default=[],
        metavar="[MODEL=]N",
        dest="rates",
        help="images a second of a forward pass",
    )
    cost.add_argument("--no-jobs", action="store_false", dest="jobs", help="make no dry run")
    cost.set_defaults(run=_estimate)


def _estimate(study_file: Path, **options: Any) -> str:
    from workflow_scripts._estimate import estimate  # loads torch, for the defaults of attacks

    return estimate(study_file, CONFIG, **options)


def _add_run(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    start = commands.add_parser("run", help="run a study beside others in this folder")
    start.add_argument("study_file", type=Path, metavar="STUDY", help="as config/demo.yaml")
    start.add_argument("options", nargs=argparse.REMAINDER, help="go to Snakemake, as --cores 4")
    start.set_defaults(run=lambda study_file, options: run(study_file, CONFIG, options))


def _add_archive(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    archive = commands.add_parser(
        "archive", help="push or pull adversarial images, one archive a model and attack"
    )
    archive.add_argument("direction", choices=["push", "pull"])
    archive.add_argument("study", metavar="STUDY", help="as results/demo")
    archive.add_argument("--remote", help="of DVC; default: that of `dvc remote default`")
    archive.set_defaults(run=_archive)


def _archive(direction: str, study: str, remote: str | None) -> str:
    from workflow_scripts import _archive

    return (_archive.push if direction == "push" else _archive.pull)(study, remote)


def _import(paths: list[Path], **options: Any) -> str:
    from robusteval.published._row import About
    from workflow_scripts._catalogue import load_catalogue
    from workflow_scripts.import_published import import_published  # loads pandas

    about = About(**{f.name: options.pop(f.name) for f in fields(About) if f.name in options})
    models = load_catalogue(CONFIG)["models"]
    return import_published(paths, CONFIG / "published", about=about, catalogue=models, **options)


def _diff(study_a: Path, study_b: Path) -> str:
    from workflow_scripts._diff import diff  # loads pandas, which the other commands need not

    return diff(study_a, study_b)
