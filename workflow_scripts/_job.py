"""What every job does first: its log, its threads, its device."""

import logging
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from robusteval.models._programs import trusting
from workflow_scripts._lease import LEASES, jobs_per_device, lease, physical
from workflow_scripts._provenance import write_provenance

log = logging.getLogger("job")


@contextmanager
def job(snakemake: Any) -> Iterator[None]:
    """Run a job's body with its log file, and say beside its tables where they come from.

    Models that are programs run in it only if the study says ``trust: true``.

    An error that a person can mend (ValueError, OSError) ends the job with one line; any other
    with its traceback. Both go to the log, which Snakemake shows when a job fails.
    """
    Path(snakemake.log[0]).parent.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(
        filename=snakemake.log[0],
        filemode="w",
        level=logging.INFO,
        format="%(asctime)s %(message)s",
        force=True,
    )
    log.info("%s on %d thread(s)", snakemake.rule, snakemake.threads)
    try:
        with trusting(snakemake.config.get("trust", False)):
            yield
        write_provenance(snakemake.output, snakemake.input, snakemake.config)
    except (ValueError, OSError) as error:
        log.error("error: %s", error)
        sys.exit(1)
    except BaseException:
        log.error("%s", traceback.format_exc())
        raise
    log.info("done")


def has_devices() -> bool:
    """Return whether this machine has, or was told that it has, a device beside the CPU."""
    return "ROBUSTEVAL_DEVICES" in os.environ or any(Path("/dev").glob("nvidia[0-9]*"))


def missing_devices() -> str:
    """Return what is wrong with the devices that this machine was told to have; "" if nothing."""
    names = os.environ.get("ROBUSTEVAL_DEVICES", "")
    if "cuda" in names and not any(Path("/dev").glob("nvidia[0-9]*")):
        return f"ROBUSTEVAL_DEVICES asks for {names}, but here is no GPU; unset it for the CPU"
    return ""


@contextmanager
def device(threads: int, leases: Path = LEASES) -> Iterator[str]:
    """Give a device that no other job on this machine uses, and set torch to ``threads``.

    The devices are those in ``ROBUSTEVAL_DEVICES`` ("cuda:0,cuda:1"), or all that torch sees;
    without any it is the CPU, which needs no lease. Without a free device the job waits. As many
    jobs share one as ``ROBUSTEVAL_JOBS_PER_DEVICE`` says; one if it is not set.
    """
    import torch

    from robusteval.batches import exact

    torch.set_num_threads(threads)
    exact()
    given = os.environ.get("ROBUSTEVAL_DEVICES", "").split(",")
    names = [name.strip() for name in given if name.strip()]
    if any(name.startswith("cuda") for name in names) and not torch.cuda.is_available():
        raise ValueError(
            f"ROBUSTEVAL_DEVICES asks for {', '.join(names)}, but torch sees no GPU here; unset it "
            f"to run on the CPU"
        )
    names = names or [f"cuda:{i}" for i in range(torch.cuda.device_count())]
    if not names:
        yield "cpu"
        return
    machine = {physical(name, _uuid): name for name in names}
    with lease(list(machine), jobs_per_device(), leases) as taken:
        log.info("on %s", machine[taken])
        yield machine[taken]


def _uuid(index: int) -> str:
    """Return what the driver calls a GPU, whichever of them a process sees."""
    import torch

    return str(torch.cuda.get_device_properties(index).uuid)
