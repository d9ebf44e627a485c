"""Write tables and figures into one page that needs nothing else."""

import logging
import os
import subprocess
import sys
from pathlib import Path

from robusteval.files import replacing

log = logging.getLogger(__name__)


def write_report(targets: list[str], configfiles: list[str], page: Path) -> None:
    """Let Snakemake write its self-contained report of ``targets``.

    Raises:
        ValueError: it failed; the message is its last words.
    """
    with replacing(page) as temporary:
        command = [sys.executable, "-m", "snakemake", *targets, "--report", str(temporary)]
        command += ["--configfile", *configfiles] if configfiles else []
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
            snakemake.params.configfiles,
            Path(snakemake.output.page),
        )
