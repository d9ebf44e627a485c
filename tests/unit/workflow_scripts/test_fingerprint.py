"""An edit of a user's folder or code shows from outside."""

import os

from workflow_scripts._fingerprint import fingerprint, own_code
from workflow_scripts._job import missing_devices


def test_every_edit_of_a_folder_shows(tmp_path):
    (tmp_path / "cat").mkdir()
    file = tmp_path / "cat" / "1.png"
    file.write_bytes(b"one")
    seen = [fingerprint(str(tmp_path))]
    assert fingerprint(str(tmp_path)) == seen[0]
    file.write_bytes(b"three")
    seen.append(fingerprint(str(tmp_path)))
    os.utime(file, ns=(1, 1))
    seen.append(fingerprint(str(tmp_path)))
    (tmp_path / "cat" / "2.png").write_bytes(b"two")
    seen.append(fingerprint(str(tmp_path)))
    file.rename(tmp_path / "cat" / "3.png")
    seen.append(fingerprint(str(tmp_path)))
    assert len(set(seen)) == 5


def test_what_is_hidden_or_not_there_does_not_count(tmp_path):
    before = fingerprint(str(tmp_path))
    (tmp_path / ".DS_Store").write_bytes(b"")
    assert fingerprint(str(tmp_path)) == before
    assert fingerprint(str(tmp_path / "nowhere")) is None and fingerprint(None) is None


def test_code_beside_the_named_file_counts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("nets.py", "layers.py", "pkg/__init__.py", "pkg/deep/net.py", "other/x.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert own_code("nets.py:make") == ["layers.py", "nets.py"]
    assert own_code("pkg.deep.net:make") == ["pkg/__init__.py", "pkg/deep/net.py"]
    assert own_code("nets:make") == ["nets.py"]
    assert own_code("torchvision.models:resnet18") == []
    assert own_code("") == []  # a model of the project's own builders


def test_a_gpu_that_is_not_there_is_said_before_any_job(monkeypatch):
    monkeypatch.setattr("workflow_scripts._job.Path.glob", lambda *_: iter(()))
    monkeypatch.setenv("ROBUSTEVAL_DEVICES", "cuda:0")
    assert "asks for cuda:0, but here is no GPU" in missing_devices()
    monkeypatch.setenv("ROBUSTEVAL_DEVICES", "fake:0")
    assert missing_devices() == ""
    monkeypatch.delenv("ROBUSTEVAL_DEVICES")
    assert missing_devices() == ""
