"""A SLURM of one node on this machine: munged, slurmctld and slurmd, in one folder."""

import os
import shutil
import socket
import subprocess
import time

import psutil

CONF = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={daemon}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
# Nothing that wants cgroups, accounting or a mail program.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MailProg=/bin/true
# Jobs that take more memory than they asked for are killed.
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_min_interval=100000
GresTypes=gpu
ReturnToService=2
KillWait=2
MinJobAge=36000
# Memory is counted, not used: the node may be said to have more than it has.
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=64000 Gres=gpu:2
PartitionName=short Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""
GRES = """\
AutoDetect=off
NodeName={host} Name=gpu File={folder}/gpu[0-1]
"""
SRUN = """\
#!/bin/sh
SLURM_CONF={folder}/slurm.conf exec {srun} "$@"
"""
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scontrol", "scancel")
PATIENCE = 60  # seconds until a daemon answers
# Daemons lie where not every user looks.
PATH = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"


def missing():
    """Return the programs that are not here."""
    return [name for name in PROGRAMS if shutil.which(name, path=PATH) is None]


class Cluster:
    """The daemons; `environment` leads SLURM's commands to them."""

    def __init__(self, folder):
        self.folder = folder
        self.processes = {}
        self.environment = {
            **os.environ,
            "SLURM_CONF": str(folder / "slurm.conf"),
            "PATH": f"{folder}:{os.environ['PATH']}",
        }

    def start(self):
        folder = self.folder
        folder.chmod(0o755)  # SLURM's commands reach munged's socket as anybody
        for name in ("state", "spool"):
            (folder / name).mkdir()
        for number in range(2):
            (folder / f"gpu{number}").touch()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o600)
        # The plugin hides all variables SLURM_* from srun, SLURM_CONF too.
        srun = folder / "srun"
        srun.write_text(SRUN.format(folder=folder, srun=shutil.which("srun")))
        srun.chmod(0o755)
        about = {"folder": folder, "host": socket.gethostname().split(".")[0]}
        about |= {"controller": free_port(), "daemon": free_port(), "cpus": os.cpu_count()}
        (folder / "slurm.conf").write_text(CONF.format(**about))
        (folder / "gres.conf").write_text(GRES.format(**about))
        options = {"key-file": key, "socket": folder / "munge.socket", "pid-file": folder / "m.pid"}
        options |= {"log-file": folder / "munged.log", "seed-file": folder / "munge.seed"}
        files = [f"--{option}={path}" for option, path in options.items()]
        self._launch("munged", "--foreground", "--force", "--num-threads=2", *files)
        self._wait(lambda: (folder / "munge.socket").exists())
        self.start_controller()
        self._launch("slurmd", "-D", "-f", folder / "slurm.conf")
        self._wait(lambda: "idle" in self.command("sinfo", "-h", "-o", "%T"))

    def start_controller(self):
        self._launch("slurmctld", "-D", "-f", self.folder / "slurm.conf")
        self._wait(lambda: "is UP" in self.command("scontrol", "ping"))

    def stop_controller(self):
        """Stop the controller as a restart of its service does; jobs go on without it."""
        process = self.processes.pop("slurmctld")
        process.terminate()
        process.wait(timeout=PATIENCE)

    def stop(self):
        if "slurmctld" in self.processes:
            self.command("scancel", "--user=root")
            self._wait(lambda: not self.jobs(), quiet=True)
        for process in reversed(self.processes.values()):
            process.terminate()
        for process in self.processes.values():
            try:
                process.wait(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()

    def command(self, *arguments):
        """Return what a command of SLURM prints; nothing if it does not come to an end."""
        try:
            result = subprocess.run(
                arguments, env=self.environment, capture_output=True, text=True, timeout=PATIENCE
            )
        except subprocess.TimeoutExpired:
            return ""
        return result.stdout

    def jobs(self, states="PENDING,RUNNING,COMPLETING"):
        """Return the jobs in one of ``states``: (id, state, what Snakemake calls it)."""
        text = self.command("squeue", "-h", "-r", "-o", "%i|%T|%k", f"--states={states}")
        return [tuple(line.split("|")) for line in text.splitlines()]

    def wait_for_job(self, rule, states="RUNNING", patience=300):
        """Return the id of the first job of a rule that is in one of ``states``."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            for job, _, comment in self.jobs(states):
                if comment.startswith(f"rule_{rule}_wildcards") or comment == f"rule_{rule}":
                    return job
            time.sleep(0.2)
        raise AssertionError(f"no job of rule {rule} was {states} within {patience} s")

    def wait_until_gone(self, job, patience=60):
        """Wait until the node has no process of a job that was stopped.

        SLURM starts a requeued job for good only then: started beside its first run it has failed.
        """
        deadline = time.monotonic() + patience
        while any(f"slurmstepd: [{job}." in title for title in _titles()):
            assert time.monotonic() < deadline, f"job {job} still runs after {patience} s"
            time.sleep(0.2)

    def _launch(self, program, *arguments):
        log = (self.folder / f"{program}.out").open("ab")
        command = [shutil.which(program, path=PATH), *map(str, arguments)]
        self.processes[program] = subprocess.Popen(
            command, env=self.environment, stdout=log, stderr=subprocess.STDOUT
        )

    def _wait(self, ready, quiet=False):
        deadline = time.monotonic() + PATIENCE
        while not ready():
            for name, process in self.processes.items():
                if process.poll() is not None:
                    if quiet:
                        return
                    raise RuntimeError(f"{name} ended: {self._tail(name)}")
            if time.monotonic() > deadline:
                if quiet:
                    return
                raise RuntimeError("SLURM does not answer: " + self._tail("slurmctld"))
            time.sleep(0.2)

    def _tail(self, name):
        files = [self.folder / f"{name}.{end}" for end in ("out", "log")]
        return "\n".join(file.read_text()[-2000:] for file in files if file.is_file())


def free_port():
    """Return a port that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _titles():
    """Return what the processes of this machine call themselves."""
    found = (process.info["cmdline"] for process in psutil.process_iter(["cmdline"]))
    return [" ".join(title) for title in found if title]
