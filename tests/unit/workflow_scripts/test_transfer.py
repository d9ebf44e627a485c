import numpy as np
import pandas as pd
import pytest
import torch

from robusteval.attacks._coding import read_images
from robusteval.files import read_json, write_json
from robusteval.models._card import load_model
from robusteval.records import read_records, write_records
from workflow_scripts import _reread
from workflow_scripts import craft as crafting
from workflow_scripts.craft import craft
from workflow_scripts.transfer import transfer


@pytest.fixture
def source(tmp_path, model_folder, image_folder, monkeypatch):
    """Make adversarial images, 5 of each of two conditions in two shards each, against a model."""
    monkeypatch.setattr(crafting, "SHARD", 4)
    images = image_folder("whole", 9, source="drawn")

    def folder_of(name, seed, eps=0.25):
        folder = tmp_path / "adversarial" / name
        craft(
            model_folder(name, seed),
            images,
            "fgsm",
            "fgsm",
            {"large": {"eps": eps}, "small": {"eps": eps / 2}},
            count=5,
            seed=7,
            batch_size=64,
            code=[],
            device="cpu",
            folder=folder,
        )
        return folder

    return folder_of


@pytest.fixture
def sources(source):
    return {"b": source("b", 1), "a": source("a", 0)}


@pytest.fixture
def run(tmp_path, model_folder):
    """Ask a model about the sources' images and return its records."""
    target = model_folder("target", seed=2)
    (tmp_path / "code.py").write_text("x = 1\n")

    def records_of(sources, model=target, **options):
        path = tmp_path / "transfer" / "fgsm" / "target.parquet"
        code = [str(tmp_path / "code.py")]
        transfer(model, sources, batch_size=64, code=code, device="cpu", path=path, **options)
        return read_records(path)

    return records_of


@pytest.fixture
def asked(monkeypatch):
    """Collect how many images the target is asked about."""
    counts = []

    def answers(model, images, *rest, real=_reread.answers):
        counts.append(len(images))
        return real(model, images, *rest)

    monkeypatch.setattr(_reread, "answers", answers)
    return counts


def break_card(folder):
    write_json(folder / "card.json", {**read_json(folder / "card.json"), "status": "it says NaN"})


def test_the_rows_are_those_of_the_sources_in_their_order(run, sources):
    found = run(sources).frame
    names = ["image_id", "label", "condition", "severity"]
    costs = [read_records(folder / "records.parquet").frame[names] for folder in sources.values()]
    pd.testing.assert_frame_equal(found[names], pd.concat(costs, ignore_index=True))
    assert found["source"].tolist() == ["b"] * 10 + ["a"] * 10


def test_the_answers_are_about_the_row_images(run, sources, model_folder):
    found = run(sources)
    images = [
        torch.from_numpy(read_images(folder / f"condition_00{c}_from_{first}.safetensors"))
        for folder in sources.values()
        for c in (0, 1)
        for first in ("000000", "000003")
    ]
    model, _ = load_model(model_folder("target", seed=2))
    with torch.inference_mode():
        expected = model(torch.cat(images)).numpy()
    # Another batch size rounds otherwise, by 4e-6 at most where that was measured.
    np.testing.assert_allclose(found.logits, expected, atol=1e-5)
    assert found.frame["prediction"].tolist() == expected.argmax(1).tolist()
    assert found.settings["missing"] == {}


def test_an_answered_source_is_not_asked_again(run, sources, asked):
    first = run(sources)
    assert asked == [3, 2] * 4
    asked.clear()
    second = run(sources)
    assert asked == []
    pd.testing.assert_frame_equal(second.frame, first.frame)
    assert np.array_equal(second.logits, first.logits)


def test_only_a_source_with_other_images_is_asked_again(run, sources, source, asked):
    first = run(sources)
    asked.clear()
    source("a", 0, eps=0.5)
    second = run(sources)
    assert asked == [3, 2] * 2
    assert np.array_equal(second.logits[:10], first.logits[:10])
    assert not np.isclose(second.logits[10:], first.logits[10:]).all(1).any()


def test_a_new_source_is_asked_alone(run, sources, source, asked):
    run(sources)
    asked.clear()
    found = run({"c": source("c", 3), **sources})
    assert asked == [3, 2] * 2
    assert found.frame["source"].unique().tolist() == ["c", "b", "a"]


def test_another_target_or_other_code_is_asked_about_all(
    run, sources, asked, model_folder, tmp_path
):
    run(sources)
    asked.clear()
    run(sources, model=model_folder("other", seed=4))
    assert asked == [3, 2] * 4
    (tmp_path / "code.py").write_text("x = 2\n")
    run(sources, model=model_folder("other", seed=4))
    assert asked == [3, 2] * 8


@pytest.mark.parametrize("key", ["mean", "defence"])
def test_a_target_of_the_same_weights_that_answers_otherwise_is_asked_again(
    run, sources, asked, tmp_path, key
):
    card = tmp_path / "models" / "target" / "card.json"
    jpeg = {"transformation": "jpeg", "gradient": "around"}
    first, other = (
        ([0.5], [0.25])
        if key == "mean"
        else ({**jpeg, "arguments": {"quality": q}} for q in (90, 5))
    )
    write_json(card, read_json(card) | {key: first})
    before = run(sources).logits
    asked.clear()
    write_json(card, read_json(card) | {key: other})
    after = run(sources).logits
    assert asked == [3, 2] * 4
    assert not np.array_equal(before, after)


def test_a_source_without_images_is_left_out_and_said(run, sources):
    break_card(sources["b"])
    found = run(sources)
    assert found.settings["missing"] == {"b": "it says NaN"}
    assert found.frame["source"].unique().tolist() == ["a"]
    assert len(found.frame) == len(found.logits) == 10
    assert found.status == "ok"


def test_no_source_has_images(run, sources):
    for folder in sources.values():
        break_card(folder)
    found = run(sources)
    assert (found.status, len(found.frame)) == ("no source has images", 0)
    assert found.settings["missing"] == {"b": "it says NaN", "a": "it says NaN"}


def test_a_target_that_says_nan_is_a_failed_cell(run, sources, model_folder):
    found = run(sources, model=model_folder("spoilt", spoil=True))
    assert found.status == "the model returned NaN or infinite logits for 3 of 3 images"
    assert len(found.frame) == 0 and found.settings["missing"] == {}


def test_images_that_are_not_those_of_the_card(run, sources):
    shard = sources["a"] / "condition_000_from_000000.safetensors"
    shard.write_bytes(shard.read_bytes()[:-1] + b"?")
    with pytest.raises(ValueError, match=r"condition_000_from_000000\.safetensors: missing or not"):
        run(sources)


def test_a_source_of_the_same_size_is_not_resized(run, sources):
    assert run(sources).settings["resized"] == {"b": "no", "a": "no"}


def test_the_size_change_is_named_and_another_one_asks_again(run, sources, asked):
    card = read_json(sources["a"] / "card.json")
    write_json(sources["a"] / "card.json", {**card, "input_size": [6, 6, 1]})
    assert run(sources).settings["resized"]["a"] == "6 x 6 to 8 x 8, bicubic, antialiased"
    asked.clear()
    found = run(sources, resize="white_padding")
    assert found.settings["resized"] == {"b": "no", "a": "6 x 6 to 8 x 8, white border"}
    assert asked == [3, 2] * 2  # b has the size of the model, so nothing changes for it


def test_an_unknown_size_change(run, sources):
    with pytest.raises(ValueError, match="resize: 'pad': one of bicubic, grey_padding, white"):
        run(sources, resize="pad")


def test_targets_and_goals_go_along(run, sources):
    found = run(sources)
    assert found.frame["target"].tolist() == [-1] * 20
    assert found.settings["goals"] == {"large": "untargeted", "small": "untargeted"}
    for folder in sources.values():
        costs = read_records(folder / "records.parquet")
        costs.frame["target"] = np.arange(10)
        write_records(folder / "records.parquet", costs)
        card = read_json(folder / "card.json")
        card["conditions"] = [["large", {"target": "random"}], ["small", {}]]
        write_json(folder / "card.json", card)
    found = run(sources)
    assert found.frame["target"].tolist() == [*range(10)] * 2
    assert found.settings["goals"] == {"large": "random", "small": "untargeted"}


def test_features_are_those_of_the_images_made_against_the_model(
    run, source, model_folder, tmp_path, asked
):
    sources = {"target": source("target", 2), "a": source("a", 0)}
    features = tmp_path / "features" / "fgsm.npy"
    bare = run(sources)
    asked.clear()
    found = run(sources, features=features)
    assert sum(asked) == 10  # of the own images, whose answers were kept without features
    assert found.logits.tobytes() == bare.logits.tobytes()
    rows, own = np.load(features), found.frame["source"] == "target"
    last = list(load_model(model_folder("target", seed=2))[0].parameters())[-2:]
    expected = rows @ last[0].numpy().T + last[1].numpy()
    # Products of 64 terms in another order.
    np.testing.assert_allclose(found.logits[own], expected, rtol=1e-4, atol=1e-5)
    asked.clear()
    again = features.read_bytes()
    run(sources, features=features)
    assert not asked and features.read_bytes() == again


def test_without_own_images_there_are_no_features(run, source, tmp_path):
    features = tmp_path / "features" / "fgsm.npy"
    run({"a": source("a", 0)}, features=features)
    assert np.load(features).shape == (0, 0)
