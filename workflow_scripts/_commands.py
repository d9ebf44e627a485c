"""The commands of ``python -m robusteval``: what is done before or after a study runs."""

import argparse
import sys
from pathlib import Path

from workflow_scripts._cell_path import cell_path
from workflow_scripts._schema import StudyError

CONFIG = Path("config")


def main(arguments: list[str] | None = None) -> int:
    """Run a command; return 0, or 1 after one line that says what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m robusteval", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    _add_path(commands)
    options = vars(parser.parse_args(arguments))
    del options["command"]
    try:
        print(options.pop("run")(**options))
    except (StudyError, ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _add_path(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    path = commands.add_parser("path", help="print where the result of one cell lies")
    path.add_argument("study_file", type=Path, metavar="STUDY", help="as config/demo.yaml")
    path.add_argument("model")
    path.add_argument("test")
    path.set_defaults(run=lambda **options: cell_path(**options, config=CONFIG))
