"""Running studies side by side in one checkout.

Snakemake locks the files that it is about to make, once, for as long as it runs: of two studies,
the second is refused while a model or an image set that both need is not there, and whichever ends
first takes the locks of the other with it. Here each study is under a lock of its own, and what
studies share is made under one that excludes all that read it. The kernel frees both when a process
dies, so that there is nothing to unlock after a kill.
"""

import fcntl
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from workflow_scripts._schema import StudyError, load_yaml, short
from workflow_scripts._study import check_study

LOCKS = Path("results/.locks")
SHARED = ".shared"  # a lock's name that no study can have
POLL = 1.0  # seconds between two looks at a lock
NOTHING = "Nothing to be done"


def run(study_file: Path, config: Path, options: Sequence[str] = ()) -> str:
    """Run a study to its end, beside others; return where it is.

    First models and image sets that studies share, then the study. ``options`` go to Snakemake.

    Raises:
        StudyError: the study has a mistake, or is running already.
        ValueError: Snakemake ended with an error, which it has said.
    """
    study = load_yaml(study_file)
    check_study(study, config, [str(study_file)])
    command = [sys.executable, "-m", "snakemake", "--configfile", str(study_file), "--nolock"]
    with _alone(study["study"]), _file(SHARED) as shared:
        _wait(shared, [*command, "shared"], options, study_file)
        _done([*command, *options], study_file)
    return f"results/{study['study']}"


def _wait(shared: IO[str], command: list[str], options: Sequence[str], study_file: Path) -> None:
    """Return once all that the study shares is there, holding a lock that keeps it as it is.

    What is missing is made as soon as no other study makes or reads anything of the kind.
    """
    said = looked = False
    while True:
        readable = _locked(shared, fcntl.LOCK_SH)
        if readable and not looked and _nothing_to_do([*command, "--dry-run", *options]):
            return
        looked = readable  # once is enough until another has made something
        fcntl.flock(shared, fcntl.LOCK_UN)
        if _locked(shared, fcntl.LOCK_EX):
            _done([*command, *options], study_file)
            # Not looked at again, as a dry run leaves all to do. One who comes in between leaves
            # whole files.
            fcntl.flock(shared, fcntl.LOCK_SH)
            return
        if not said:
            print("another study makes or reads what studies share: waiting", file=sys.stderr)
            said = True
        time.sleep(POLL)


def _locked(file: IO[str], kind: int) -> bool:
    """Return whether a lock on a file could be had."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _nothing_to_do(command: list[str]) -> bool:
    result = subprocess.run(command, capture_output=True, text=True)
    return result.returncode == 0 and NOTHING in result.stdout + result.stderr


def _done(command: list[str], study_file: Path) -> None:
    if subprocess.run(command).returncode:
        raise ValueError(f"{short(study_file)}: Snakemake ended with an error, said above")


@contextmanager
def _alone(study: str) -> Iterator[None]:
    """Keep others from running the same study."""
    with _file(study) as file:
        if not _locked(file, fcntl.LOCK_EX):
            raise StudyError(f"the study {study} is running already in this folder")
        yield


@contextmanager
def _file(name: str) -> Iterator[IO[str]]:
    LOCKS.mkdir(parents=True, exist_ok=True)
    with (LOCKS / name).open("w") as file:
        yield file
