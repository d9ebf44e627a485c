"""Write tables and figures into one page that needs nothing else."""

import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from robusteval.files import replacing

log = logging.getLogger(__name__)


def write_report(targets: list[str], study: dict[str, Any], page: Path, config: Path) -> None:
    """Let Snakemake write its self-contained report of ``targets``.

    The study as it was run, changes on the command line included, is written to ``config``.

    Raises:
        ValueError: it failed; the message is its last words.
    """
    with replacing(config) as temporary:
        temporary.write_text(yaml.safe_dump(study, sort_keys=False))
    with replacing(page) as temporary:
        command = [sys.executable, "-m", "snakemake", *targets]
        command += ["--report", str(temporary), "--configfile", str(config)]
        # The caller's own settings are for the caller's run.
        environment = {k: v for k, v in os.environ.items() if not k.startswith("SNAKEMAKE_")}
        result = subprocess.run(command, capture_output=True, text=True, env=environment)
        log.info("%s", result.stderr)
        if result.returncode:
            raise ValueError(f"{page}: {result.stderr.strip().splitlines()[-1]}")


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        write_report(
            [*snakemake.input.tables, *snakemake.input.figures],
            snakemake.params.study,
            Path(snakemake.output.page),
            Path(snakemake.output.study),
        )
