"""A SLURM of one node, started and stopped by the tests, and studies that are submitted to it.

It needs root and Debian's packages slurm-wlm and munge, which are installed where apt-get can.
"""

import importlib.util
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.slurm._cluster import Cluster, missing
from tests.workflow.conftest import Workspace

PACKAGES = ["slurm-wlm", "munge"]
APT = 300  # seconds for apt-get, which may wait for a network that is not there
# The plugin's own pace is that of a large cluster: a look at the jobs every 40 seconds.
OFTEN = ["--slurm-init-seconds-before-status-checks", "3", "--seconds-between-status-checks", "3"]
HERE = ["--slurm-no-account", "--slurm-status-command", "squeue", "--latency-wait", "20", *OFTEN]


class SlurmWorkspace(Workspace):
    """A copy of the tree whose studies run on a cluster."""

    def __init__(self, folder, cluster):
        super().__init__(folder)
        self.cluster = cluster

    def command(self, *arguments, study="tiny"):
        local = super().command(study=study)[:3]
        profile = ["--workflow-profile", "profiles/slurm", "--configfile", f"config/{study}.yaml"]
        return [*local, *arguments, *profile, *HERE]

    def environment(self):
        return {**super().environment(), **self.cluster.environment}


@pytest.fixture(scope="session")
def cluster():
    """The daemons, for as long as the tests run."""
    if reason := _unable():
        pytest.skip(reason)
    cluster = Cluster(Path(tempfile.mkdtemp(prefix="slurm_", dir="/run")))
    try:
        try:
            cluster.start()
        except (RuntimeError, OSError) as error:
            pytest.skip(f"SLURM does not start here: {error}")
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(cluster.folder)


@pytest.fixture(scope="module")
def submitted(cluster, tmp_path_factory):
    """A workspace without results, whose studies go to the cluster."""
    return SlurmWorkspace(tmp_path_factory.mktemp("submitted"), cluster)


def _unable():
    """Return why there can be no SLURM here, after having tried to install it; "" if it can be."""
    if os.geteuid() != 0:
        return "SLURM's daemons and munge are started by root only"
    if importlib.util.find_spec("snakemake_executor_plugin_slurm") is None:
        return "the package snakemake-executor-plugin-slurm is not installed"
    if not missing():
        return ""
    if shutil.which("apt-get") is None:
        return f"{', '.join(missing())} not found, and there is no apt-get to install {PACKAGES}"
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update"], ["install", "-y", "--no-install-recommends", *PACKAGES]):
        try:
            result = subprocess.run(
                ["apt-get", "-qq", *command],
                env=environment,
                capture_output=True,
                text=True,
                timeout=APT,
            )
        except subprocess.TimeoutExpired:
            return f"{', '.join(missing())} not found; apt-get took longer than {APT} s"
    if still := missing():
        return f"{', '.join(still)} not found; apt-get: {result.stderr[-200:]}"
    return ""
