"""What files of others cannot do: run code, write outside of their folder, be sent anywhere."""

import ast
import hashlib
import logging
import pickle
import re
import tarfile
import warnings
import zipfile
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
import yaml

from robusteval.files import sha256, write_json
from robusteval.images._image_set import read_image_set
from robusteval.images._labels import Classes
from robusteval.images.layouts.arrays import arrays
from robusteval.images.sources._package_files import PackageFiles, fetch_package_files
from robusteval.models._card import build, load_model, save_model
from robusteval.models._checkpoint import read_checkpoint
from robusteval.models._programs import PROGRAMS as ASKING
from robusteval.models._programs import trusting
from robusteval.shards import Shards
from workflow_scripts._catalogue import load_catalogue
from workflow_scripts._job import job
from workflow_scripts._schema import StudyError, load_yaml
from workflow_scripts._study import check_study

ROOT = Path(__file__).parents[2]
CONFIG = ROOT / "config"
SOURCES = [
    *(ROOT / "robusteval").rglob("*.py"),
    *(ROOT / "workflow_scripts").glob("*.py"),
    *(ROOT / "rules").glob("*.smk"),
]


class Malice:
    """When unpickled, it makes the file ``mark``."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


@pytest.fixture
def mark(tmp_path):
    """A file that is there as soon as something malicious has run."""
    path = tmp_path / "run"
    pickle.loads(pickle.dumps(Malice(path)))
    assert path.exists()  # so it would work
    path.unlink()
    yield path
    assert not path.exists()


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("wrapped", [True, False])
def test_a_malicious_checkpoint_is_refused_and_not_run(tmp_path, mark, zipped, wrapped):
    malice = Malice(mark)
    content = {"state_dict": {"w": torch.ones(1)}, "epoch": malice} if wrapped else malice
    torch.save(content, tmp_path / "w.pth", _use_new_zipfile_serialization=zipped)
    with pytest.raises(ValueError, match="which is not loaded as it may run code"):
        read_checkpoint(tmp_path / "w.pth")


def test_a_bare_pickle_is_refused_and_not_run(tmp_path, mark):
    (tmp_path / "w.pth").write_bytes(pickle.dumps(Malice(mark)))
    with pytest.raises(ValueError):
        read_checkpoint(tmp_path / "w.pth")


@pytest.mark.parametrize("form", ["npy", "npz"])
def test_malicious_arrays_are_refused_and_not_run(tmp_path, mark, form):
    images = np.array([Malice(mark)] * 2, object)
    if form == "npy":
        np.save(tmp_path / "images.npy", images)
        np.save(tmp_path / "labels.npy", np.zeros(2, np.int64))
    else:
        np.savez(tmp_path / "set.npz", images=images, labels=np.zeros(2, np.int64))
    with pytest.raises(ValueError, match="Python objects; an array of numbers expected"):
        arrays(tmp_path, Classes(("dog",)), **({"file": "set.npz"} if form == "npz" else {}))


def test_a_malicious_image_set_is_refused_and_not_run(tmp_path, mark):
    np.save(tmp_path / "images.npy", np.array([Malice(mark)], object))
    hashes = {"images.npy": sha256(tmp_path / "images.npy")}
    write_json(tmp_path / "card.json", {"sha256": hashes})
    with pytest.raises(ValueError, match="Python objects in dtype"):
        read_image_set(tmp_path)


def test_a_malicious_shard_is_made_anew_and_not_run(tmp_path, mark):
    shards = Shards(tmp_path, "key")
    shards.path("one").write_bytes(pickle.dumps(Malice(mark)))
    assert shards.get("one") is None


def test_yaml_makes_no_objects(tmp_path, mark):
    (tmp_path / "s.yaml").write_text(f"a: !!python/object/apply:os.mknod ['{mark}']\n")
    with pytest.raises(StudyError, match="not YAML"):
        load_yaml(tmp_path / "s.yaml")


def calls(path):
    """Yield the dotted name and the call, of every call in a file of Python."""
    if path.suffix != ".py":
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


def keyword(call, name):
    return next((ast.unparse(k.value) for k in call.keywords if k.arg == name), None)


def test_no_code_of_a_file_is_run_by_reading_it():
    seen = set()
    for path in SOURCES:
        for name, call in calls(path):
            where = f"{path}:{call.lineno}"
            if name == "torch.load":
                assert keyword(call, "weights_only") == "True", where
            if name in ("np.load", "numpy.load"):
                assert keyword(call, "allow_pickle") == "False", where
            if name in ("np.lib.format.read_array", "np.lib.format.open_memmap"):
                assert keyword(call, "allow_pickle") is None, where  # False if it is not said
            if name == "yaml.load":
                assert ast.unparse(call.args[1]) == "_UniqueKeys", where  # a SafeLoader
            last = name.rpartition(".")[2]
            assert last not in ("read_pickle", "unsafe_load", "full_load", "eval", "exec") or (
                name.endswith(".eval") and not call.args  # that of a model
            ), where
            if last in ("loads", "load", "Unpickler") and name.startswith("pickle"):
                seen.add(path.name)
    # What a process sends to its own parent through their own pipe.
    assert seen == {"workers.py"}


def test_nothing_is_unpacked_to_disk():
    for path in SOURCES:
        for name, call in calls(path):
            last = name.rpartition(".")[2]
            assert last not in ("extract", "extractall", "unpack_archive"), f"{path}:{call.lineno}"
        # Archives of adversarial images have tests of their own, member by member.
        assert path.name == "archives.py" or "tarfile" not in path.read_text(), path


def test_a_wheel_with_paths_that_lead_out_leaves_nothing_outside(tmp_path):
    folder = tmp_path / "a/b/wheels"
    folder.mkdir(parents=True)
    content = b"plain"
    with zipfile.ZipFile(folder / "made_up-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("made_up/data/one.bin", content)
        archive.writestr("../../escaped", b"x")
        archive.writestr("made_up/data/../../../escaped", b"x")
    source = PackageFiles("made-up", "1.0", "made_up/data")
    hashes = {"one.bin": hashlib.sha256(content).hexdigest()}
    fetch_package_files(tmp_path / "a/raw", hashes, source, folder)
    assert [path.name for path in (tmp_path / "a/raw").iterdir()] == ["one.bin"]
    assert not list(tmp_path.rglob("escaped"))


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_an_archive_in_place_of_a_release_is_not_opened(tmp_path, kind):
    path = tmp_path / "images.npy"
    (tmp_path / "evil").write_text("x")
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(tmp_path / "evil", "../../escaped")
    else:
        with tarfile.open(path, "w") as tar:
            tar.add(tmp_path / "evil", "../../escaped")
    np.save(tmp_path / "labels.npy", np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="not an array of numpy"):
        arrays(tmp_path, Classes(("dog",)))
    assert not list(tmp_path.parent.glob("**/escaped"))


OUTSIDE = ["../x", "..", "a/b", "/tmp/x", "x\n", "", "a b", "A", "~", "x\x00"]


@pytest.mark.parametrize("key", ["study", "images", "baseline", "models", "tests", "scores"])
def test_no_id_of_a_study_leaves_results(key):
    for name in OUTSIDE:
        study = load_yaml(CONFIG / "tiny.yaml")
        study[key] = [*study[key], name] if isinstance(study[key], list) else name
        with pytest.raises(StudyError, match="an id of lower-case letters"):
            check_study(study, CONFIG, [])


@pytest.fixture(scope="module", autouse=True)
def read_once():
    """Read each file of the catalogue once: it is not what is tested here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workflow_scripts._catalogue.load_yaml", cache(load_yaml))
        yield


@pytest.mark.parametrize("part", ["images", "models", "tests", "views", "generators", "oracles"])
def test_no_id_of_a_study_s_own_catalogue_leaves_results(part):
    entry = {"kind": "clean"} if part == "tests" else {}
    for name in OUTSIDE[::6]:  # the definition of an id is that of the test above
        with pytest.raises(StudyError, match="an id of lower-case letters"):
            load_catalogue(CONFIG, {part: {name: entry}}, "study")


def folders_of_all_studies():
    """Return the folders of results/ that rules name by themselves, not by the study."""
    text = "".join(path.read_text() for path in (ROOT / "rules").glob("*.smk"))
    return sorted(set(re.findall(r"\bresults/(\w+)/", text)))


@pytest.mark.parametrize("shared", folders_of_all_studies())
def test_no_study_has_the_folder_that_all_share(shared):
    with pytest.raises(StudyError, match="folder that studies share"):
        check_study(load_yaml(CONFIG / "tiny.yaml") | {"study": shared}, CONFIG, [])


def folders_of_rules():
    """Return (part, folder): those in results/ beside which models and the like have theirs."""
    text = "".join(path.read_text() for path in (ROOT / "rules").glob("*.smk"))
    return sorted(set(re.findall(r"\bresults/(images|models|generators)/(\w+)/", text)))


@pytest.mark.parametrize(("part", "folder"), folders_of_rules())
def test_no_entry_of_a_study_has_a_folder_of_the_rules(part, folder):
    message = f"^study: catalogue.{part}: {folder}: '{folder}' is the name of a folder that studies"
    with pytest.raises(StudyError, match=message):
        load_catalogue(CONFIG, {part: {folder: {}}}, "study")


PROGRAMS = {
    "torchscript": {"arguments": {}, "weights": {"file": "net.pt"}},
    "function": {"arguments": {"function": "nets:make"}, "weights": {"file": "net.pt"}},
}


@pytest.mark.parametrize("trust", [None, False, True])
@pytest.mark.parametrize("builder", PROGRAMS)
def test_a_program_runs_only_where_the_study_trusts_it(tmp_path, monkeypatch, builder, trust):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.pt").touch()
    study = load_yaml(CONFIG / "tiny.yaml")
    classes = yaml.safe_load((CONFIG / "catalogue/images.yaml").read_text())
    entry = {
        "builder": builder,
        **PROGRAMS[builder],
        "classes": classes["fashion_mnist_test"]["classes"],
        "view": "as_stored",
        "size": 28,
        "mean": [0.5],
        "std": [0.5],
    }
    study |= {"models": ["own"], "baseline": "own", "catalogue": {"models": {"own": entry}}}
    study |= {"tests": ["clean"], "scores": ["max_softmax"]}
    for key in ("features", "framework", "searched_models"):  # of other models
        study.pop(key, None)
    study |= {} if trust is None else {"trust": trust}
    if trust:
        check_study(study, CONFIG, [])
        return
    with pytest.raises(StudyError) as error:
        check_study(study, CONFIG, [])
    message = str(error.value)
    assert "trust: own is a" in message and "runs with all your rights" in message
    assert message.endswith("say trust: true") and "\n" not in message


@pytest.mark.parametrize("trust", [False, True])
@pytest.mark.parametrize("where", ["a search of the study", "a search for a training"])
def test_a_program_that_only_judges_needs_trust_as_well(where, trust):
    study = load_yaml(CONFIG / "tiny.yaml")
    images = yaml.safe_load((CONFIG / "catalogue/images.yaml").read_text())
    judge = {
        "builder": "function",
        "arguments": {"function": "nets:make"},
        "classes": images["fashion_mnist_test"]["classes"],
        "view": "as_stored",
        "size": 28,
        "mean": [0.5],
        "std": [0.5],
    }
    search = {
        "kind": "searched",
        "generator": "fashion_vq_vae_tiny",
        "oracle": "judges",
        "conditions": {"step": {"budget": 2, "step_size": 0.1}},
    }
    own = {"models": {"judge": judge}, "tests": {"mine": search}}
    study["catalogue"] = own | {"oracles": {"judges": {"members": [{"model": "judge"}]}}}
    study["trust"] = trust
    if where == "a search of the study":
        study["tests"] = [*study["tests"], "mine"]
    else:
        search["images"] = "fashion_mnist_train"
        models = yaml.safe_load((CONFIG / "catalogue/models.yaml").read_text())
        taught = models["cnn_tiny"]
        recipe = {"test": "mine", "condition": "step", "against": "cnn_tiny", "count": 10}
        own["models"]["taught"] = taught | {"training": taught["training"] | {"searched": recipe}}
        study["models"] = [*study["models"], "taught"]
    if trust:
        check_study(study, CONFIG, [])
        return
    with pytest.raises(StudyError, match=r"trust: judge is a Python function \(nets:make\)"):
        check_study(study, CONFIG, [])


def planted_function(folder, mark):
    """A card that names a function which makes the file ``mark`` when it is loaded."""
    (folder / "planted.py").write_text(
        f"from pathlib import Path\nfrom torch import nn\nPath({str(mark)!r}).touch()\n"
        f"def net():\n    return nn.Flatten()\n"
    )
    return {"builder": "function", "arguments": {"function": f"{folder / 'planted.py'}:net"}}


def planted_program(folder, mark):
    """A card that names a TorchScript program."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch.jit is deprecated, programs made with it are not
        torch.jit.trace(torch.nn.Flatten(), torch.rand(1, 1, 2, 2)).save(folder / "program.pt")
    program = {"file": "program.pt", "sha256": sha256(folder / "program.pt")}
    return {"builder": "torchscript", "arguments": {}, "program": program}


@pytest.mark.parametrize("plant", [planted_function, planted_program])
def test_a_planted_card_runs_no_program_in_a_study_that_does_not_trust(
    tmp_path, monkeypatch, plant
):
    """Whatever the catalogue says of the model: the card on disk is what is loaded."""
    monkeypatch.setattr(logging, "basicConfig", lambda **_: None)  # of the tests themselves
    card = plant(tmp_path, tmp_path / "run")
    card |= {"classes": list("abcd"), "input_size": [2, 2, 1], "mean": [0.5], "std": [0.5]}
    with trusting(True):
        save_model(tmp_path, build(card, tmp_path), card)
    (tmp_path / "run").unlink(missing_ok=True)

    def run(config):
        given = {"log": [str(tmp_path / "log")], "rule": "evaluate", "threads": 1}
        with job(SimpleNamespace(**given, input=[], output=[], config=config)):
            return load_model(tmp_path)

    for config in ({}, {"trust": False}):
        with pytest.raises(SystemExit):
            run(config)
    with pytest.raises(ValueError, match=r"a (TorchScript program|Python function); it runs with "):
        load_model(tmp_path)
    assert not (tmp_path / "run").exists()
    model, _ = run({"trust": True})
    assert model(torch.rand(3, 1, 2, 2)).shape == (3, 4)


@pytest.mark.parametrize("argument", ["checkpoint_path", "pretrained_cfg_overlay"])
def test_arguments_of_a_library_s_network_name_no_files(tmp_path, mark, argument):
    path = tmp_path / "net.pth"
    path.write_bytes(pickle.dumps(Malice(mark)))
    value = {"checkpoint_path": str(path), "pretrained_cfg_overlay": {"file": str(path)}}[argument]
    card = {"builder": "timm", "arguments": {"name": "test_resnet", argument: value}}
    card |= {"classes": list("ab"), "input_size": [32, 32, 3], "mean": [0.5], "std": [0.5]}
    with pytest.raises(ValueError, match=f"test_resnet: arguments: {argument}: name a file as"):
        build(card)


def test_every_builder_that_runs_somebody_s_code_asks_for_trust():
    running = set()
    for path in (ROOT / "robusteval/models").glob("[a-z]*.py"):
        names = {name for name, _ in calls(path)} | {path.read_text()}
        if any("importlib" in name or "jit.load" in name for name in names):
            running.add(path.stem)
    assert running == set(ASKING)


def test_only_downloads_talk_to_the_network_and_they_send_nothing():
    allowed = {"fashion_mnist.py", "_origin.py"}
    for path in SOURCES:
        text = path.read_text()
        for word in ("requests.", "socket.", "smtplib", "ftplib", "http.server", "boto3"):
            assert f"import {word.rstrip('.')}" not in text, path
        opened = [call for name, call in calls(path) if name.endswith("urlopen")]
        assert not opened or path.name in allowed, path
        assert all(len(call.args) == 1 and not keyword(call, "data") for call in opened), path


def test_libraries_and_tools_are_asked_not_to_tell_who_uses_them():
    assert '"HF_HUB_DISABLE_TELEMETRY", "1"' in (ROOT / "rules/common.smk").read_text()
    assert "analytics = false" in (ROOT / ".dvc/config").read_text()
