import numpy as np
import pytest
import torch

from robusteval import plugins
from robusteval.attacks._adversarials import Adversarials
from robusteval.attacks._coding import read_images
from robusteval.batches import as_tensor, predict
from robusteval.files import read_json, sha256, write_json
from robusteval.images._image_set import read_image_set, subset
from robusteval.models._card import load_model
from robusteval.records import read_records
from robusteval.seeds import generator
from workflow_scripts import craft as script
from workflow_scripts._adversarial import attacked_ids, read_adversarial
from workflow_scripts.craft import craft
from workflow_scripts.transfer import transfer

CONDITIONS = {"small": {"eps": 0.125}, "large": {"eps": 0.25}}
CHOSEN = subset(np.arange(100, 109), 5, 7)  # the positions of 5 of 9 images
PARTS = [CHOSEN[:3], CHOSEN[3:]]  # in shards of at most 4 images


@pytest.fixture
def run(tmp_path, model_folder, image_folder, monkeypatch):
    """Attack 5 images in shards of at most 4 and return the folder of the adversarial images."""
    monkeypatch.setattr(script, "SHARD", 4)
    model, images = model_folder("m"), image_folder("whole", 9, source="drawn")
    (tmp_path / "code.py").write_text("x = 1\n")

    def folder_of(conditions=CONDITIONS, model=model, seed=7):
        craft(
            model,
            images,
            "fgsm",
            "my_fgsm",
            conditions,
            count=5,
            seed=seed,
            batch_size=64,
            code=[str(tmp_path / "code.py")],
            device="cpu",
            folder=tmp_path / "adversarial",
        )
        return tmp_path / "adversarial"

    return folder_of


@pytest.fixture
def calls(monkeypatch):
    """Replace the attack by one that adds its budget, and collect what it is called with."""
    made = []

    def attack(model, images, labels, *, generators, batch_size, progress, eps):
        draws = [g.random() for g in generators]
        made.append({"images": images, "labels": labels.tolist(), "draws": draws, "eps": eps})
        n = torch.ones(len(images), dtype=torch.int64)
        return Adversarials((images + eps).clamp(max=1), n, 2 * n, 3 * n, n > 0, -n, 0 * n)

    monkeypatch.setattr(plugins, "load", lambda package, name, real=plugins.load: (
        attack if package == "attacks" else real(package, name)
    ))  # fmt: skip
    return made


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_row_an_image_and_condition(run):
    found = read_records(run() / "records.parquet")
    ids = (100 + CHOSEN).tolist()
    assert found.frame["image_id"].tolist() == ids * 2
    assert found.frame["label"].tolist() == (CHOSEN % 3).tolist() * 2
    assert found.frame["condition"].tolist() == ["small"] * 5 + ["large"] * 5
    # The gradient of an image can be 0 in places, not in all: the budget is used up somewhere.
    # Half a unit of float32 at 1 is 6e-8, and the change is a difference of two such numbers.
    np.testing.assert_allclose(found.frame["linf"], [0.125] * 5 + [0.25] * 5, atol=1.2e-7)
    assert set(found.frame["forwards"]) == {2} and set(found.frame["backwards"]) == {1}
    assert found.status == "ok"


def test_the_card_names_the_shards_and_their_bytes(run):
    folder = run()
    shards = read_json(folder / "card.json")["shards"]
    names = [f"condition_00{c}_from_{first}" for c in "01" for first in ("000000", "000003")]
    assert shards == {name: sha256(folder / f"{name}.safetensors") for name in names}
    assert [
        len(torch.from_numpy(read_images(folder / f"{name}.safetensors"))) for name in names
    ] == [
        3,
        2,
    ] * 2


def test_the_attack_gets_each_image_with_its_label_and_generator(run, calls, image_folder):
    run()
    images = as_tensor(read_image_set(image_folder("whole", 9, source="drawn")).images)
    assert len(calls) == 4
    for call, (condition, part) in zip(
        calls, [(c, p) for c in CONDITIONS for p in PARTS], strict=True
    ):
        assert torch.equal(call["images"], images[part])
        assert call["labels"] == (part % 3).tolist()
        assert call["eps"] == CONDITIONS[condition]["eps"]
        assert call["draws"] == [generator(7, "my_fgsm", 100 + int(i)).random() for i in part]


def test_a_finished_attack_is_not_called_again(run, calls):
    before = content(run())
    calls.clear()
    assert content(run()) == before
    assert calls == []


def test_only_a_missing_shard_is_made_again(run, calls):
    folder = run()
    before = content(folder)
    calls.clear()
    (folder / "condition_001_from_000003.safetensors").unlink()
    assert content(run()) == before
    assert [(call["eps"], len(call["labels"])) for call in calls] == [(0.25, 2)]


def test_a_shard_with_a_flipped_bit_is_made_again(run, calls):
    folder = run()
    before = content(folder)
    calls.clear()
    shard = folder / "condition_001_from_000003.safetensors"
    flipped = bytearray(before[shard.name])
    flipped[-1] ^= 1
    shard.write_bytes(flipped)
    assert content(run()) == before
    assert [(call["eps"], len(call["labels"])) for call in calls] == [(0.25, 2)]


@pytest.mark.parametrize("change", ["seed", "eps", "model", "mean", "code"])
def test_what_a_shard_depends_on_makes_all_of_them_anew(run, calls, change, model_folder, tmp_path):
    run()
    calls.clear()
    if change == "seed":
        run(seed=8)
    elif change == "eps":
        run({**CONDITIONS, "large": {"eps": 0.5}})
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
    folder = run()
    run({"small": {"eps": 0.125}})
    names = [path.name for path in sorted(folder.glob("*.safetensors"))]
    assert names == [
        "condition_000_from_000000.safetensors",
        "condition_000_from_000003.safetensors",
    ]
    assert len(read_records(folder / "records.parquet").frame) == 5


def test_a_model_that_says_nan_is_a_failed_cell(run, model_folder):
    folder = run(model=model_folder("spoilt", spoil=True))
    card, found = read_json(folder / "card.json"), read_records(folder / "records.parquet")
    assert "NaN" in card["status"] and found.status == card["status"]
    assert card["shards"] == {} and len(found.frame) == 0
    assert dict(card["conditions"]) == CONDITIONS


def budgets(folder):
    """Return the largest change that the records of each condition hold, in order."""
    frame = read_records(folder / "records.parquet").frame
    return frame.groupby("condition", sort=False)["linf"].max().round(3).to_dict()


def test_conditions_in_another_order_are_not_mixed_up(run):
    assert budgets(run()) == {"small": 0.125, "large": 0.25}
    assert budgets(run(dict(reversed(CONDITIONS.items())))) == {"large": 0.25, "small": 0.125}


def test_chosen_images_come_from_all_shards_in_the_order_asked(run):
    folder = run()
    ids = attacked_ids(folder)
    whole = read_adversarial(folder, ids)["small"]
    shards = [read_images(path) for path in sorted(folder.glob("condition_000_*.safetensors"))]
    assert len(shards) == 2
    assert np.array_equal(whole, np.concatenate(shards).transpose(0, 2, 3, 1))
    turned = read_adversarial(folder, [ids[4], ids[0]])["small"]
    assert np.array_equal(turned, whole[[4, 0]])


def test_figures_and_transfers_read_the_images_of_the_right_condition(run, tmp_path, model_folder):
    conditions = {f"c{i}": {"eps": (12 - i) / 64} for i in range(12)}  # more than ten, unsorted
    folder = run(conditions)
    ids = attacked_ids(folder)
    shown = read_adversarial(folder, ids[:3])
    assert list(shown) == list(conditions)
    clean = read_adversarial(run({"none": {"eps": 0.0}}), ids[:3])["none"]
    run(conditions)
    changes = [round(float(abs(part - clean).max()), 6) for part in shown.values()]
    assert changes == [values["eps"] for values in conditions.values()]
    path = tmp_path / "transfer" / "m.parquet"
    model = model_folder("m")
    transfer(model, {"m": folder}, batch_size=64, code=[], device="cpu", path=path)
    answers = read_records(path)
    network, _ = load_model(model)
    for number, condition in enumerate(conditions):
        shard = torch.from_numpy(
            read_images(folder / f"condition_{number:03d}_from_000000.safetensors")
        )
        rows = (answers.frame["condition"] == condition).to_numpy()
        assert np.array_equal(answers.logits[rows][: len(shard)], predict(network, shard).numpy())


def test_a_gradient_that_is_zero_everywhere_is_said(run, model_folder, caplog):
    folder = run(model=model_folder("flat", dead=True))
    assert read_records(folder / "records.parquet").frame["odd"].eq(1).all()
    (said,) = [r.message for r in caplog.records if "gradient" in r.message]
    assert said.startswith("the gradient is 0 for 10 of 10 images: masked gradients suspected")
    assert "Square" in said
