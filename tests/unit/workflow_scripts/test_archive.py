"""Adversarial sets to a remote of DVC and back."""

import importlib.util
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from robusteval.files import sha256, write_json
from workflow_scripts._archive import PINS, pull, push

SETS = ["cnn/fgsm", "cnn/pgd", "vit/fgsm"]
S3 = [name for name in ("moto", "flask", "dvc_s3") if importlib.util.find_spec(name) is None]


def dvc(*arguments):
    subprocess.run([sys.executable, "-m", "dvc", *arguments], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """An empty DVC repository in which a study has three finished sets and an impossible one."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    dvc("init", "--quiet", "--no-scm")
    for name in SETS:
        folder = Path("results/small/adversarial", name)
        folder.mkdir(parents=True)
        (folder / "records.parquet").write_bytes(name.encode())
        (folder / "shard_0.safetensors").write_bytes(name.encode() * 500)
        hashes = {"shard_0": sha256(folder / "shard_0.safetensors")}
        write_json(folder / "card.json", {"shards": hashes})
    write_json("results/small/adversarial/vit/impossible/card.json", {"shards": {}})
    return tmp_path


def shards():
    return {path: path.read_bytes() for path in Path("results").rglob("*.safetensors")}


def test_what_is_pushed_comes_back(repository):
    dvc("remote", "add", "-d", "shelf", str(repository / "shelf"))
    before = shards()
    assert "3 archives pushed" in push("results/small/")
    pins = sorted(str(path.relative_to(PINS)) for path in PINS.rglob("*.dvc"))
    assert pins == [f"small/{name}.tar.dvc" for name in SETS]
    assert not list(PINS.rglob("*.tar"))
    assert pull("small") == "3 archives pulled: 0 files were missing or different"
    for path in before:
        path.unlink()
    Path("results/small/adversarial/cnn/fgsm/card.json").unlink()
    subprocess.run(["rm", "-r", ".dvc/cache"], check=True)  # they must come from the remote
    assert pull("small") == "3 archives pulled: 4 files were missing or different"
    assert shards() == before


def test_a_remote_that_is_not_there_is_one_line(repository):
    with pytest.raises(ValueError, match=r"^dvc push: .*dvc remote list") as caught:
        push("small")
    assert "\n" not in str(caught.value)


def test_names_cannot_lead_elsewhere(repository):
    for name in ("../small", "results/../small", "/etc", "", "a/b"):
        with pytest.raises(ValueError, match="the name of a study expected"):
            push(name)
        with pytest.raises(ValueError, match="the name of a study expected"):
            pull(name)


def test_without_sets_or_pins_there_is_nothing_to_do(repository):
    with pytest.raises(ValueError, match="no finished adversarial set"):
        push("other")
    with pytest.raises(ValueError, match="no pins of archives"):
        pull("other")


@pytest.mark.slow
@pytest.mark.skipif(bool(S3), reason=f"not installed: {', '.join(S3)}")
def test_an_s3_remote_gives_them_back(repository, monkeypatch):
    for name, value in {
        "AWS_ACCESS_KEY_ID": "anybody",
        "AWS_SECRET_ACCESS_KEY": "anything",
        "AWS_DEFAULT_REGION": "us-east-1",
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)
    from tests.slurm._cluster import free_port

    address = f"http://127.0.0.1:{free_port()}"
    port = address.rpartition(":")[2]
    server = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", port],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        bucket = urllib.request.Request(f"{address}/shelf", method="PUT")
        for _ in range(120):  # half a second each until the server listens
            try:
                urllib.request.urlopen(bucket, timeout=10)
                break
            except OSError:
                assert server.poll() is None
                time.sleep(0.5)
        dvc("remote", "add", "-d", "shelf", "s3://shelf/archives")
        dvc("remote", "modify", "shelf", "endpointurl", address)
        before = shards()
        push("small")
        for path in before:
            path.unlink()
        subprocess.run(["rm", "-r", ".dvc/cache"], check=True)
        pull("small")
        assert shards() == before
    finally:
        server.kill()
        server.wait()
