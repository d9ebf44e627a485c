from pathlib import Path

import pytest
from torch import nn

from robusteval.attacks._adversarials import ZERO_GRADIENT
from robusteval.files import read_json, write_json
from robusteval.models import _card
from robusteval.models._card import load_model
from robusteval.plugins import names
from robusteval.records import read_records
from workflow_scripts import craft as crafting
from workflow_scripts._parameters import parameters
from workflow_scripts.craft import craft
from workflow_scripts.unmask import NORMS, QUERIES, questions, unmask

CONDITIONS = {"wide": {"eps": 0.3}, "none": {"eps": 0.0}}


class Stairs(nn.Module):
    """A network that sees its images rounded: they move its logits, but no gradient says so."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, x):
        return self.network((8 * x).round() / 8)


@pytest.fixture
def masked(model_folder, image_folder, tmp_path, monkeypatch):
    """Attack a model whose gradients are masked; return its folder, the images, the attacks."""

    def load(folder, device="cpu"):
        model, card = load_model(folder, device)
        return Stairs(model).eval(), card

    monkeypatch.setattr(crafting, "load_model", load)
    monkeypatch.setattr(_card, "load_model", load)
    model, images = model_folder("m"), image_folder("whole", 40, source="drawn")
    folders = {"fgsm": tmp_path / "fgsm", "other": tmp_path / "other"}
    for attack, folder in folders.items():
        conditions = CONDITIONS if attack == "fgsm" else {"aimed": {"eps": 0.3, "target": "random"}}
        craft(
            model,
            images,
            "fgsm",
            attack,
            conditions,
            count=40,
            seed=7,
            batch_size=64,
            code=[],
            device="cpu",
            folder=folder,
        )
    return model, images, folders


def ask(masked, path, **changes):
    model, images, folders = masked
    options = {"seed": 1, "batch_size": 64, "code": [], "device": "cpu", "path": path, **changes}
    unmask(model, images, questions(folders), **options)
    return read_records(path)


def test_square_breaks_what_a_masked_gradient_hid(masked, tmp_path):
    found = ask(masked, tmp_path / "m.parquet")
    assert found.status == "ok" and found.settings["queries"] == QUERIES
    costs = read_records(masked[2]["fgsm"] / "records.parquet").frame
    held = costs[(costs["odd"] == ZERO_GRADIENT) & ~costs["success"]]
    asked = found.frame[found.frame["attack"] == "fgsm"]
    assert len(held) > 5  # untrained networks get some of 40 images right by chance
    assert asked[["image_id", "condition"]].values.tolist() == (
        held[["image_id", "condition"]].values.tolist()
    )
    wide = asked[asked["condition"] == "wide"]
    assert wide["broken"].any()
    assert not asked.loc[asked["condition"] == "none", "broken"].any()  # no room to move
    assert (wide.loc[wide["broken"], "forwards"] <= QUERIES + 1).all()


def test_a_target_is_that_of_the_attack(masked, tmp_path):
    found = ask(masked, tmp_path / "m.parquet").frame
    aimed = found[found["attack"] == "other"]
    costs = read_records(masked[2]["other"] / "records.parquet").frame.set_index("image_id")
    assert len(aimed) and (aimed["target"] >= 0).all()
    assert aimed["target"].tolist() == costs.loc[aimed["image_id"], "target"].tolist()


def test_the_answers_do_not_depend_on_the_batch(masked, tmp_path):
    large, small = (
        ask(masked, tmp_path / f"{size}.parquet", batch_size=size).frame for size in (64, 16)
    )
    assert large.equals(small)


def test_without_a_question_no_model_is_loaded(model_folder, image_folder, tmp_path, monkeypatch):
    monkeypatch.delattr(_card, "load_model")
    unmask(
        model_folder("m"),
        tmp_path / "no images",
        [],
        seed=1,
        batch_size=64,
        code=[],
        device="cpu",
        path=tmp_path / "m.parquet",
    )
    found = read_records(tmp_path / "m.parquet")
    assert found.status == "ok" and found.frame.empty
    assert {"attack", "condition", "broken"} <= set(found.frame)


def test_attacks_without_a_budget_are_not_asked_about(masked):
    folders = masked[2]
    card = read_json(folders["fgsm"] / "card.json")
    assert {c for c, _ in card["conditions"]} == set(CONDITIONS)
    before = questions(folders)
    assert {(p["attack"].iloc[0], p["condition"].iloc[0]) for p in before} == {
        ("fgsm", "wide"),
        ("fgsm", "none"),
        ("other", "aimed"),
    }
    card["conditions"] = [[c, {"norm": "l1", **v}] for c, v in card["conditions"]]
    write_json(folders["fgsm"] / "card.json", card)
    assert [p["attack"].iloc[0] for p in questions(folders)] == ["other"]


def test_a_budget_in_l1_is_not_taken_for_one_in_linf(masked):
    folders = masked[2]
    card = read_json(folders["fgsm"] / "card.json")
    write_json(folders["fgsm"] / "card.json", card | {"attack": "pgd_l1"})
    assert [p["attack"].iloc[0] for p in questions(folders)] == ["other"]


def test_of_every_attack_with_a_budget_it_is_known_in_which_norm():
    """Whoever adds an attack that knows one norm only adds it here, or to NORMS."""
    given = {
        name: parameters(Path(__file__).parents[3] / "robusteval/attacks", name)
        for name in names("attacks")
    }
    one = {name for name, known in given.items() if "eps" in known and "norm" not in known}
    assert one - set(NORMS) == {"fgsm", "ifgsm", "mi_fgsm", "nattack", "spsa"}
    assert set(NORMS) <= one
