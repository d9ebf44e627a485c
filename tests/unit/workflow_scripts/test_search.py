"""Searches end to end on 8 x 8 images: check of the oracle, search, transfer, tables."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
import torch

from robusteval.files import read_json, write_json
from robusteval.generators._card import build as build_generator
from robusteval.images._image_set import index_of, read_image_set, write_image_set
from robusteval.models._card import build, load_model, save_model
from robusteval.records import OK, Records, read_records, write_records
from robusteval.seeds import generator
from workflow_scripts import search as script
from workflow_scripts.check_oracle import check_oracle
from workflow_scripts.search import search
from workflow_scripts.search_training import search_training
from workflow_scripts.tabulate_fmr import tabulate_fmr
from workflow_scripts.tabulate_fmr_differences import tabulate_fmr_differences
from workflow_scripts.tabulate_fmr_settings import tabulate_fmr_settings
from workflow_scripts.tabulate_fmr_transfer import tabulate_fmr_transfer
from workflow_scripts.transfer_searched import transfer_searched

N = 20
ORACLE = {"members": [{"model": "oracle"}]}
CONDITIONS = {
    "step": {"budget": 4, "step_size": 0.3},
    "random": {"budget": 4, "step_size": 0.3, "step": "random_sign"},
    "free": {"budget": 4, "step_size": 0.3, "oracle": False},
    "sparse": {"budget": 4, "step_size": 0.3, "sparse": {"of": "step", "C": 10.0}},
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Images of three bright bands, a generator that is nearly the identity, three classifiers."""
    folder = tmp_path_factory.mktemp("world")
    rng = generator(0, "bands")
    labels = np.arange(2 * N) % 3
    images = rng.integers(60, size=(2 * N, 8, 8, 1))
    for image, label in zip(images, labels, strict=True):
        image[2 * label + 1 : 2 * label + 3] += 120
    named = np.where(np.arange(2 * N) % 9 == 0, (labels + 1) % 3, labels)  # some are wrong
    index = index_of(100 + np.arange(2 * N), named, "clean")
    write_image_set(folder / "images", images.astype(np.uint8), index, classes=["a", "b", "c"])
    x = torch.from_numpy(images.transpose(0, 3, 1, 2) / 255).float()
    y = torch.from_numpy(labels)
    for seed, name in enumerate(["oracle", "judge", "first", "second"]):
        _classifier(folder / "models" / name, x, y, seed)
    _generator(folder / "generator", x)
    return folder


def _classifier(folder, x, y, seed):
    torch.manual_seed(seed)
    card = {
        "builder": "cnn", "arguments": {"width": 4}, "classes": ["a", "b", "c"],
        "input_size": [8, 8, 1], "mean": [0.5], "std": [0.25], "training": {"count": 2 + seed},
    }  # fmt: skip
    model = build(card)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(30):
        optimiser.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        optimiser.step()
    save_model(folder, model, card)


def _generator(folder, x):
    torch.manual_seed(0)
    arguments = {"width": 8, "latent": 3, "codes": 16, "factor": 2}
    card = {"builder": "vq_vae", "arguments": arguments, "input_size": [8, 8, 1]}
    made = build_generator(card)
    from robusteval.generators._reconstruction import reconstruction

    optimiser = torch.optim.Adam(made.parameters(), lr=0.01)
    rng = torch.Generator().manual_seed(0)
    for _ in range(120):
        optimiser.zero_grad()
        reconstruction(made, x, torch.zeros(len(x)), rng=rng, done=0.0).backward()
        optimiser.step()
    save_model(folder, made, {**card, "round_trip": {"latent_rms": 0.5}})


def checked(
    world, path, oracle=ORACLE, evaluated=("first", "second"), clean=None, asked=("oracle", "judge")
):
    check_oracle(
        world / "images",
        world / "generator",
        oracle,
        {name: world / "models" / name for name in asked},
        {name: world / "models" / name for name in evaluated},
        clean or {},
        names={"generator": "g", "oracle": "o"},
        adapter=None,
        count=N,
        clean_count=2 * N,
        seed=1,
        batch_size=64,
        device="cpu",
        path=path,
    )
    return read_records(path)


def searched(world, folder, model="first", conditions=CONDITIONS, **options):
    settings = {
        "adapter": None, "count": N, "seed": 1, "batch_size": 64, "code": [], "device": "cpu",
    } | options  # fmt: skip
    search(
        world / "models" / model,
        world / "images",
        world / "generator",
        ORACLE,
        {"members": [{"model": "judge"}]},
        {name: world / "models" / name for name in ("oracle", "judge")},
        "my_search",
        conditions,
        folder=folder,
        **settings,
    )
    return folder


@pytest.fixture(scope="module")
def study(world):
    """Both models searched, and asked about the images of both."""
    folder = world / "study"
    clean = {}
    for name in ("first", "second"):
        clean[name] = folder / "records" / name / "clean.parquet"
        frame = read_image_set(world / "images").index
        right = np.arange(len(frame)) % 3 > 0
        said = np.where(right, frame["label"], (frame["label"] + 1) % 3)
        write_records(clean[name], Records(frame.assign(prediction=said), _zeros(len(frame))))
        searched(world, folder / "searched" / name / "my_search", name)
    checked(world, folder / "oracles" / "as_stored" / "my_search.parquet", clean=clean)
    for name in ("first", "second"):
        transfer_searched(
            world / "models" / name,
            [folder / "searched" / source / "my_search" for source in ("first", "second")],
            batch_size=64,
            code=[],
            device="cpu",
            path=folder / "transfer_searched" / f"{name}.parquet",
        )
    return folder


def _zeros(n):
    return np.zeros((n, 3), np.float32)


def test_no_valid_image_is_rejected_when_it_is_read_back(study):
    found = read_records(study / "searched/first/my_search/records.parquet").frame
    assert found.loc[found["valid"] & (found["condition"] != "free"), "accepted"].all()
    assert set(found["condition"]) == {"original", "round trip", *CONDITIONS}
    steps = found[(found["condition"] == "step") & found["valid"]]["steps"]
    assert len(steps) > N / 2 and steps.max() > 0


def test_an_image_without_a_valid_round_trip_is_the_original(study, world):
    folder = study / "searched/first/my_search"
    found, frame = read_image_set(folder), read_records(folder / "records.parquet").frame
    own = (found.index["condition"] == "step").to_numpy()
    valid = frame.loc[frame["condition"] == "step", "valid"].to_numpy()
    clean = read_image_set(world / "images")
    places = found.index["image_id"].to_numpy()[own] - 100
    same = (found.images[own] == clean.images[places]).all((1, 2, 3))
    assert (same == ~valid).all()  # the generator changes every image that it draws
    assert (~valid).any()


def test_a_killed_search_ends_with_the_same_bytes(world, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "SHARD", 8)
    whole = searched(world, tmp_path / "whole")
    real, calls = script.Searching.found, []

    def dying(self, *arguments):
        calls.append(arguments[0])
        if len(calls) == 5:
            raise KeyboardInterrupt
        return real(self, *arguments)

    monkeypatch.setattr(script.Searching, "found", dying)
    with pytest.raises(KeyboardInterrupt):
        searched(world, tmp_path / "killed")
    left = {path.stem for path in (tmp_path / "killed/shards").iterdir()}
    assert len(left) == 4
    monkeypatch.setattr(script.Searching, "found", real)
    searched(world, tmp_path / "killed")
    for name in ("images.npy", "index.parquet", "card.json", "records.parquet", "trace.parquet"):
        assert (tmp_path / "killed" / name).read_bytes() == (whole / name).read_bytes(), name
    assert not list((whole / "shards").iterdir())


def taught(world, folder, oracle=ORACLE, test=None, **recipe):
    search_training(
        world / "models/first",
        world / "images",
        world / "generator",
        oracle,
        {"oracle": world / "models/oracle"},
        {"generator": "g", "oracle": "o", "conditions": CONDITIONS} | (test or {}),
        {"test": "my_search", "condition": "step", "count": N, **recipe},
        seed=1,
        code=[],
        device="cpu",
        folder=folder,
    )
    return read_image_set(folder)


def test_a_training_gets_one_condition_of_a_search(study, world, tmp_path):
    whole = read_image_set(study / "searched/first/my_search")
    found = taught(world, tmp_path / "step")
    assert set(found.index["condition"]) == {"round trip", "step"}
    for condition in ("round trip", "step"):
        rows, own = ((x.index["condition"] == condition).to_numpy() for x in (whole, found))
        assert (whole.images[rows] == found.images[own]).all()
    found = taught(world, tmp_path / "sparse", condition="sparse", count=N - 2)
    assert set(found.index["condition"]) == {"round trip", "step", "sparse"}  # fitted to step
    assert len(found.images) == 3 * (N - 2)
    plain = {"plain": {"budget": 0, "step_size": 0.3}}
    found = taught(world, tmp_path / "plain", test={"conditions": plain}, condition="plain")
    valid = read_records(tmp_path / "plain/records.parquet").frame["valid"].to_numpy()[-N:]
    assert (found.images[:N][valid] == found.images[N:][valid]).all() and valid.any()


def test_a_training_is_not_judged_by_the_searched_model_under_another_name(world, tmp_path):
    (tmp_path / "world/models").mkdir(parents=True)
    for name in ("images", "generator", "models/first"):
        (tmp_path / "world" / name).symlink_to(world / name)
    (tmp_path / "world/models/oracle").symlink_to(world / "models/first")
    with pytest.raises(
        ValueError, match=r"^oracle, .* has the weights of the evaluated model first"
    ):
        taught(tmp_path / "world", tmp_path / "out")


def test_a_training_without_a_valid_image_says_what_to_do(world, tmp_path):
    never = read_image_set(world / "images")
    index = never.index.assign(label=(never.index["label"] + 1) % 3)
    wrong = never.index["image_id"] % 9 == 1  # of these, the label was the next one before
    index = index[~wrong.to_numpy()].reset_index(drop=True)
    (tmp_path / "world").mkdir()
    for name in ("models", "generator"):
        (tmp_path / "world" / name).symlink_to(world / name)
    images = np.array(never.images)[~wrong.to_numpy()]
    write_image_set(tmp_path / "world/images", images, index, classes=["a", "b", "c"])
    with pytest.raises(ValueError, match="the oracle o accepts none of 20 round trips of the"):
        taught(tmp_path / "world", tmp_path / "out")


def test_a_training_is_refused_where_the_oracle_knows_originals_only(world, tmp_path):
    clean = read_image_set(world / "images")
    (tmp_path / "world").mkdir()
    (tmp_path / "world/models").symlink_to(world / "models")
    rows = (clean.index["label"] != 2).to_numpy()  # what an untrained generator's images look like
    index = clean.index[rows].reset_index(drop=True)
    write_image_set(
        tmp_path / "world/images", np.array(clean.images)[rows], index, classes=["a", "b", "c"]
    )
    card = read_json(world / "generator/card.json")
    torch.manual_seed(3)
    save_model(tmp_path / "world/generator", build_generator(card), card)
    with pytest.raises(ValueError, match="the oracle o accepts none of 20 round trips of the"):
        taught(tmp_path / "world", tmp_path / "out")
    frame = read_records(tmp_path / "out/records.parquet").frame
    assert frame.loc[frame["condition"] == "original", "valid"].any()


def test_a_training_gets_all_conditions_that_its_own_is_fitted_to(world, tmp_path):
    chain = CONDITIONS | {
        "sparser": {"budget": 4, "step_size": 0.3, "sparse": {"of": "sparse", "C": 10.0}}
    }
    found = taught(world, tmp_path / "out", test={"conditions": chain}, condition="sparser")
    assert set(found.index["condition"]) == {"round trip", "step", "sparse", "sparser"}


def test_searched_training_images_count_among_those_that_a_model_has_seen(world, tmp_path):
    for folder in ("images", "generator", "models/oracle", "models/judge", "models/second"):
        (tmp_path / "world" / folder).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "world" / folder).symlink_to(world / folder)
    shutil.copytree(world / "models/first", tmp_path / "world/models/first")
    path = tmp_path / "world/models/first/card.json"
    write_json(path, read_json(path) | {"searched": {"n": 7, "sha256": {}}})
    check = checked(tmp_path / "world", tmp_path / "check.parquet")
    assert check.settings["seen"] == {"oracle": 2, "judge": 3, "first": 4 + 7, "second": 5}


def test_vr_is_that_of_the_oracle_whatever_the_model(study):
    valid = [
        read_records(study / f"searched/{m}/my_search/records.parquet").frame["valid"].to_numpy()
        for m in ("first", "second")
    ]
    assert (valid[0][: 2 * N] == valid[1][: 2 * N]).all() and 0 < valid[0][N : 2 * N].mean() < 1


def test_the_diagonal_of_transfer_is_what_the_search_says(study):
    own = read_records(study / "searched/first/my_search/records.parquet").frame.iloc[N:]
    said = read_records(study / "transfer_searched/first.parquet").frame
    said = said[said["source"] == "first"]
    assert (said["prediction"].to_numpy() == own["prediction"].to_numpy()).all()
    assert (said["valid"].to_numpy() == own["valid"].to_numpy()).all()


def test_features_are_those_of_the_images_searched_against_the_model(study, world, tmp_path):
    sets = [study / "searched" / source / "my_search" for source in ("first", "second")]
    asked = {"batch_size": 64, "code": [], "device": "cpu"}
    features = {"my_search": tmp_path / "features" / "my_search.npy"}
    path = tmp_path / "second.parquet"
    transfer_searched(world / "models/second", sets, path=path, features=features, **asked)
    said, before = read_records(path), read_records(study / "transfer_searched/second.parquet")
    assert (said.logits == before.logits).all()
    own = said.logits[(said.frame["source"] == "second").to_numpy()]
    weight, bias = list(load_model(world / "models/second")[0].parameters())[-2:]
    found = np.load(features["my_search"])
    # Products of 64 terms in another order.
    np.testing.assert_allclose(
        own, found @ weight.detach().numpy().T + bias.detach().numpy(), rtol=1e-4, atol=1e-5
    )
    asked |= {"path": tmp_path / "oracle.parquet", "features": features}
    transfer_searched(world / "models/oracle", sets, **asked)  # which was not searched
    assert len(np.load(features["my_search"])) == 0


@pytest.fixture(scope="module")
def tables(study):
    searches = [str(study / f"searched/{m}/my_search/records.parquet") for m in ("first", "second")]
    checks = [str(study / "oracles/as_stored/my_search.parquet")]
    names = {"oracles": "oracles", "fmr": "fmr", "gates": "fmr_gates"}
    outputs = {key: str(study / f"tables/{name}.csv") for key, name in names.items()}
    tabulate_fmr(searches, checks, [], {}, outputs)
    more = {key: str(study / f"tables/{key}.csv") for key in ("settings", "steps")}
    tabulate_fmr_settings(searches, checks, more)
    transfers = [str(study / f"transfer_searched/{m}.parquet") for m in ("first", "second")]
    clean = [str(study / f"records/{m}/clean.parquet") for m in ("first", "second")]
    tabulate_fmr_transfer(transfers, clean, str(study / "tables/transfer.csv"))
    tabulate_fmr_differences(searches, checks, str(study / "tables/differences.csv"))
    return {path.stem: pd.read_csv(path) for path in (study / "tables").glob("*.csv")}


def test_ratios_are_of_the_printed_accuracies_and_called_relative(tables):
    fmr = tables["fmr"]
    assert len(fmr) == 2 * len(CONDITIONS) and (fmr["n"] == N).all()
    ratio = 100 * fmr["pa_pct_higher_better"] / fmr["sa_pct_higher_better"]
    # Percentages are rounded to 0.01 before they are divided: at an SA of 30 and more, 0.07.
    np.testing.assert_allclose(fmr["oracle_relative_fmr_pct_higher_better"], ratio, atol=0.07)
    assert not [column for column in fmr if column.startswith("fmr_pct")]
    low, high = fmr["fmr_bootstrap95_low_pct"], fmr["fmr_bootstrap95_high_pct"]
    assert (low <= fmr["oracle_relative_fmr_pct_higher_better"]).all() and (low < high).any()


def test_a_smaller_budget_is_the_beginning_of_a_larger_one(tables, world, tmp_path):
    short = {"step": {**CONDITIONS["step"], "budget": 2}}
    folder = searched(world, tmp_path / "first" / "short", conditions=short)
    frame = read_records(folder / "records.parquet").frame
    own = frame[(frame["condition"] == "step") & frame["valid"]]
    settings = tables["settings"].set_index(["model", "condition", "budget"])
    row = settings.loc[("first", "step", 2)]
    assert row["pa_pct_higher_better"] == round(100 * (own["label"] == own["prediction"]).mean(), 2)
    assert row["accepted_steps_mean"] == round(own["steps"].mean(), 2)
    whole = tables["fmr"].set_index(["model", "condition"])["pa_pct_higher_better"]
    assert settings.loc[("second", "step", 4), "pa_pct_higher_better"] == whole["second", "step"]
    assert set(tables["steps"]["step"]) == set(range(5))


def test_conditions_that_differ_in_one_setting_stand_side_by_side(tables):
    found = tables["differences"].set_index(["model", "setting"])
    fmr = tables["fmr"].set_index(["model", "condition"])
    others = {"step": "random", "oracle": "free", "sparse": "sparse"}
    assert list(found.index) == [(m, setting) for m in ("first", "second") for setting in others]
    name = "oracle_relative_fmr_pct_higher_better"
    for (model, setting), row in found.iterrows():
        this, that = fmr.loc[(model, "step")], fmr.loc[(model, others[setting])]
        assert (row["condition"], row["other_condition"]) == ("step", others[setting])
        assert (row[name], row[f"other_{name}"]) == (this[name], that[name])
        # Each is rounded to 0.01.
        assert row["other_less_this_fmr_points"] == pytest.approx(
            that[name] - this[name], abs=0.011
        )
        for cost in ("latents_that_may_move_pct", "accepted_steps_mean"):
            assert (row[cost], row[f"other_{cost}"]) == (this[cost], that[cost])
    assert (found["n"] == N).all() and (found["status"] == OK).all()
    values = found.loc["first", ["value", "other_value"]].to_numpy().tolist()
    assert values == [["sign", "random_sign"], ["o", "none"], ["no", "C 10.0, of step"]]


def test_gates_have_their_figures(tables):
    gates = tables["fmr_gates"]
    assert set(gates["gate"]) == {"1", "2", "3", "4", "5", "6", "7", "VR", "valid"}
    holds = gates.set_index(["gate", "model"])["holds"]
    assert holds["VR", "all"] == "yes" and holds["valid", "all"] == "yes"
    times = gates[gates["what"].str.contains("times those")].iloc[0]
    assert times["holds"] == "no" and float(times["figure"]) == 0.4  # 2 images against 4 and 5
    assert (gates[gates["gate"] == "5"]["holds"] != "not measured").all()


def test_transfer_has_both_directions(tables):
    transfer = tables["transfer"]
    assert len(transfer) == 2 * 2 * (1 + len(CONDITIONS)) and (transfer["status"] == OK).all()
    own = transfer[(transfer["source"] == transfer["target"]) & (transfer["condition"] == "step")]
    pa = tables["fmr"][tables["fmr"]["condition"] == "step"].set_index("model")
    for row in own.itertuples():
        assert row.pa_pct_higher_better == pa.loc[row.source, "pa_pct_higher_better"]


def test_an_oracle_that_is_not_better_stops_the_study(world, tmp_path):
    frame = read_image_set(world / "images").index
    clean = tmp_path / "records/first/clean.parquet"
    perfect = Records(frame.assign(prediction=frame["label"]), _zeros(len(frame)))
    write_records(clean, perfect)
    with pytest.raises(ValueError, match="expected at least 2 points more"):
        checked(world, tmp_path / "check.parquet", clean={"first": clean})
    assert not (tmp_path / "check.parquet").exists()


def test_an_oracle_with_the_weights_of_a_model_is_refused(world, tmp_path):
    with pytest.raises(ValueError, match="has the weights of the evaluated model first"):
        checked(
            world, tmp_path / "check.parquet", {"members": [{"model": "first"}]}, asked=["first"]
        )


def test_judges_with_the_weights_of_a_model_are_refused(world, tmp_path):
    message = "first, a member of the oracle or of its judges, has the weights of the evaluated"
    with pytest.raises(ValueError, match=message):
        checked(world, tmp_path / "check.parquet", asked=["oracle", "first"])


def test_an_oracle_that_accepts_nothing_stops_the_study(world, tmp_path):
    images = read_image_set(world / "images")
    index = images.index.assign(label=(images.index["label"] + 2) % 3)
    index.loc[::9, "label"] = images.index["label"][::9]
    (tmp_path / "world").mkdir()
    for name in ("models", "generator"):
        (tmp_path / "world" / name).symlink_to(world / name)
    write_image_set(
        tmp_path / "world/images", np.array(images.images), index, classes=["a", "b", "c"]
    )
    with pytest.raises(ValueError, match="oracle o rejects the round trips of generator g"):
        checked(tmp_path / "world", tmp_path / "check.parquet")


def test_a_generator_of_another_size_needs_an_adapter(world, tmp_path):
    torch.manual_seed(0)
    card = {"builder": "vq_vae", "arguments": {"width": 4}, "input_size": [16, 16, 3]}
    (tmp_path / "world").mkdir()
    for name in ("models", "images"):
        (tmp_path / "world" / name).symlink_to(world / name)
    save_model(tmp_path / "world/generator", build_generator(card), card)
    with pytest.raises(ValueError, match="16 x 16 x 3 for a model of 8 x 8 x 1: give"):
        searched(tmp_path / "world", tmp_path / "out")


def test_a_model_that_returns_nan_leaves_its_reason(world, tmp_path):
    (tmp_path / "world/models").mkdir(parents=True)
    for name in ("images", "generator", "models/oracle", "models/judge"):
        (tmp_path / "world" / name).symlink_to(world / name)
    card = read_json(world / "models/first/card.json")
    model = build(card)
    torch.nn.init.constant_(list(model.parameters())[-1], float("nan"))
    save_model(tmp_path / "world/models/first", model, card)
    folder = searched(tmp_path / "world", tmp_path / "out")
    assert "not finite" in read_records(folder / "records.parquet").status
    assert "not finite" in json.loads((folder / "card.json").read_text())["status"]
    assert pd.read_parquet(folder / "trace.parquet").empty
