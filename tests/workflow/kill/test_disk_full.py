"""A disk that is full in the middle of a shard: one line, and nothing half-written is believed."""

import os
import subprocess

import pytest

from robusteval.files import sha256
from workflow_scripts.craft import SHARD

pytestmark = pytest.mark.slow

STUDY = "full"
FOLDER = f"results/{STUDY}/adversarial/cnn_tiny/pgd_linf"


def mount(folder, size, *, again=False):
    """Give ``folder`` a disk of ``size`` of its own, or another size to the one it has."""
    options = f"{'remount,' if again else ''}size={size}"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        pytest.skip(f"no small disk to be had: {result.stderr.strip()}")


def files(folder):
    return {path.name: sha256(path) for path in sorted(folder.iterdir())}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
def test_a_full_disk_in_a_shard_is_one_line_and_the_rest_is_made_later(fresh):
    count = 3 * SHARD
    counts = {"clean": count, "adversarial": count}
    fresh.write_study(STUDY, models=["cnn_tiny"], tests=["clean", "pgd_linf"], counts=counts)
    target = f"{FOLDER}/card.json"
    fresh.run(target, study=STUDY)
    folder = fresh.folder / FOLDER
    undisturbed = files(folder)
    shards = sorted(folder.glob("*.safetensors"))
    room = shards[0].stat().st_size + shards[1].stat().st_size // 2  # ends in the second shard
    for path in folder.iterdir():
        path.unlink()
    mount(folder, room)
    try:
        text = fresh.run(target, study=STUDY, check=False)
        said = [line for line in text.splitlines() if "error: " in line and FOLDER in line]
        assert len(said) == 1 and shards[1].name in said[0] and "run again" in said[0], text[-3000:]
        assert "Traceback (most recent call last)" not in text
        # The first shard is whole; of the second there is nothing, not even a hidden file.
        assert files(folder) == {shards[0].name: undisturbed[shards[0].name]}
        mount(folder, "100m", again=True)
        fresh.run(target, study=STUDY)
        assert files(folder) == undisturbed
    finally:
        subprocess.run(["umount", str(folder)], check=True)
