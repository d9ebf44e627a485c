import multiprocessing
import os
import signal

import numpy as np
import pandas as pd
import pytest
import torch

from robusteval import plugins
from robusteval.batches import as_tensor
from robusteval.files import read_json, write_json
from robusteval.images._image_set import read_image_set, subset
from robusteval.models._card import load_model
from robusteval.probes.clever import clever
from robusteval.records import read_records
from robusteval.seeds import generator
from workflow_scripts.probe import probe

SETTINGS = {"batches": 3, "samples": 8, "norm": "linf"}
CONDITIONS = {"near": {**SETTINGS, "radius": 0.5}, "far": {**SETTINGS, "radius": 2.0}}
CHOSEN = subset(np.arange(100, 109), 5, 7)  # the positions of 5 of 9 images
PARTS = [CHOSEN[:3], CHOSEN[3:]]  # in shards of at most 4 images


@pytest.fixture
def run(tmp_path, model_folder, image_folder):
    """Probe 5 images in shards of at most 4 and return the path of the records."""
    folder, images = model_folder("m"), image_folder("whole", 9, source="drawn")
    (tmp_path / "code.py").write_text("x = 1\n")

    def path_of(conditions=CONDITIONS, model=folder, seed=7, shard=4, by=probe, name="clever"):
        path = tmp_path / "probes" / "m" / "my_probe.parquet"
        by(
            model_folder=model,
            source=images,
            name=name,
            test="my_probe",
            conditions=conditions,
            count=5,
            seed=seed,
            batch_size=64,
            shard=shard,
            code=[str(tmp_path / "code.py")],
            device="cpu",
            path=path,
        )
        return path

    return path_of


@pytest.fixture
def calls(monkeypatch):
    """Replace the probe by one that draws a number an image; collect what it is called with."""
    made = []

    def fake(model, images, labels, *, generators, batch_size, progress, radius, **settings):
        draws = [g.random() for g in generators]
        made.append({"images": images, "labels": labels.tolist(), "radius": radius})
        return pd.DataFrame({"row": [*range(len(images)), -1], "draw": [*draws, radius]})

    replace(monkeypatch, fake)
    return made


def killed_at_the_third_shard(**arguments):
    """Probe, and die when the third shard begins."""
    calls = []

    def dying(*args, **settings):
        calls.append(settings)
        if len(calls) == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return clever(*args, **settings)

    replace(pytest.MonkeyPatch(), dying)
    probe(**arguments)


def replace(monkeypatch, function):
    """Let ``function`` be the probe."""
    monkeypatch.setattr(plugins, "load", lambda package, name, real=plugins.load: (
        function if package == "probes" else real(package, name)
    ))  # fmt: skip


def content(path):
    parts = (path.parent / "parts" / path.stem).iterdir()
    return {file.name: file.read_bytes() for file in [path, *parts]}


def test_readings_are_those_of_the_probe_by_condition(run, model_folder, image_folder):
    found = read_records(run())
    assert found.status == "ok" and len(found.frame) == 10
    assert found.frame["condition"].to_list() == ["near"] * 5 + ["far"] * 5
    assert found.frame["image_id"].to_list() == (100 + CHOSEN).tolist() * 2
    assert found.frame["label"].to_list() == (CHOSEN % 3).tolist() * 2
    model, _ = load_model(model_folder("m"))
    images = read_image_set(image_folder("whole", 9, source="drawn")).images
    for condition, values in CONDITIONS.items():
        alone = clever(
            model,
            as_tensor(images[CHOSEN]),
            torch.from_numpy(CHOSEN % 3),
            generators=[generator(7, "my_probe", 100 + int(i)) for i in CHOSEN],
            **values,
        )
        part = found.frame[found.frame["condition"] == condition].reset_index(drop=True)
        pd.testing.assert_frame_equal(
            part[alone.columns[1:]], alone.drop(columns="row"), check_exact=True
        )
    assert found.settings["probe"] == "clever" and found.settings["n"] == 5
    assert dict(found.settings["conditions"]) == CONDITIONS


def test_each_image_comes_with_its_label_and_generator(run, calls, image_folder):
    frame = read_records(run()).frame
    images = as_tensor(read_image_set(image_folder("whole", 9, source="drawn")).images)
    assert len(calls) == 4
    for call, (condition, part) in zip(
        calls, [(c, p) for c in CONDITIONS for p in PARTS], strict=True
    ):
        assert torch.equal(call["images"], images[part])
        assert call["labels"] == (part % 3).tolist()
        assert call["radius"] == CONDITIONS[condition]["radius"]
    drawn = frame[(frame["image_id"] >= 0) & (frame["condition"] == "far")]
    expected = [generator(7, "my_probe", int(i)).random() for i in drawn["image_id"]]
    assert drawn["draw"].to_list() == expected


def test_a_reading_of_the_model_has_no_image(run, calls):
    frame = read_records(run()).frame
    of_model = frame[frame["image_id"] == -1]
    assert of_model["label"].to_list() == [-1] * 4
    assert of_model["draw"].to_list() == [0.5, 0.5, 2.0, 2.0]


def test_the_size_of_the_shards_changes_no_reading(run):
    one = read_records(run()).frame
    pd.testing.assert_frame_equal(one, read_records(run(shard=1)).frame, check_exact=True)


def test_a_killed_job_loses_at_most_a_shard(run, monkeypatch):
    undisturbed = content(run())
    for file in [run(), *(run().parent / "parts" / "my_probe").iterdir()]:
        file.unlink()
    calls = []

    def counting(*args, **settings):
        calls.append(settings["radius"])
        return clever(*args, **settings)

    def in_a_process(**arguments):
        # Started afresh: locks of pyarrow's threads would not survive a fork.
        child = multiprocessing.get_context("spawn").Process(
            target=killed_at_the_third_shard, kwargs=arguments
        )
        child.start()
        child.join(60)
        assert child.exitcode == -signal.SIGKILL

    path = run(by=in_a_process)
    assert not path.exists()
    assert len(list((path.parent / "parts" / "my_probe").iterdir())) == 2
    replace(monkeypatch, counting)
    assert content(run()) == undisturbed
    assert calls == [2.0, 2.0]  # both shards of the first condition were there


def test_a_finished_probe_is_not_called_again(run, calls):
    before = content(run())
    calls.clear()
    assert content(run()) == before
    assert calls == []


@pytest.mark.parametrize("change", ["seed", "radius", "model", "mean", "code"])
def test_what_a_shard_depends_on_makes_all_of_them_anew(run, calls, change, model_folder, tmp_path):
    run()
    calls.clear()
    if change == "seed":
        run(seed=8)
    elif change == "radius":
        run({**CONDITIONS, "far": {**SETTINGS, "radius": 3.0}})
    elif change == "model":
        run(model=model_folder("other", seed=1))
    elif change == "mean":  # which the file of the weights does not hold
        card = tmp_path / "models" / "m" / "card.json"
        write_json(card, read_json(card) | {"mean": [0.25]})
        run()
    else:
        (tmp_path / "code.py").write_text("x = 2\n")
        run()
    assert len(calls) == 4


def test_shards_of_earlier_settings_are_deleted(run):
    run()
    path = run({"near": CONDITIONS["near"]})
    assert sorted(content(path)) == [
        "condition_000_from_000000.safetensors",
        "condition_000_from_000003.safetensors",
        "my_probe.parquet",
    ]
    assert len(read_records(path).frame) == 5


def test_a_model_that_says_nan_is_a_failed_cell(run, model_folder):
    found = read_records(run(model=model_folder("spoilt", spoil=True)))
    assert "NaN" in found.status and len(found.frame) == 0
    assert dict(found.settings["conditions"]) == CONDITIONS


NOISES = {
    "fgsm": {"kind": "attack", "name": "fgsm", "eps": 0.1},
    "g": {"kind": "gaussian", "sd": 1},
}
OTHERS = {
    "ebd": {"directions": 8, "magnitudes": 8, "sides": ["one", "two"]},
    "ebd_2": {"step_size": 0.05, "steps": 5, "per_class": True},
    "noise_insensitivity": {"noises": NOISES},
    "neuron_sensitivity": {"noises": NOISES, "types": ["Conv2d"]},
    "neuron_uncertainty": {"types": ["Linear"]},
}


@pytest.mark.parametrize("name", OTHERS)
def test_every_probe_goes_on_where_it_was_killed_to_the_same_bytes(run, name):
    conditions = {"c": OTHERS[name]}
    undisturbed = content(run(conditions, name=name, shard=2))
    path = run(conditions, name=name, shard=2)
    path.unlink()
    last = sorted((path.parent / "parts" / path.stem).iterdir())[-1]
    last.unlink()  # what a kill in the third of three shards leaves
    assert content(run(conditions, name=name, shard=2)) == undisturbed
    assert len(undisturbed) == 1 + 3
    whole = read_records(run(conditions, name=name, shard=64)).frame
    parts = read_records(run(conditions, name=name, shard=2)).frame
    pd.testing.assert_frame_equal(whole, parts, check_exact=True)


def test_a_layer_that_is_not_there_is_named_beside_those_that_are(run):
    with pytest.raises(ValueError, match=r"layer 'fc': there is none; expected .*network\.0"):
        run({"c": {"layers": ["fc"]}}, name="neuron_uncertainty")
