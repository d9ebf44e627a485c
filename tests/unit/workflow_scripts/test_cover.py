import shutil

import numpy as np
import pandas as pd
import pytest
import torch

from robusteval.attacks._coding import coded
from robusteval.batches import as_tensor
from robusteval.files import read_json, sha256, write_json
from robusteval.images._image_set import index_of, read_image_set, subset
from robusteval.metrics.distortion import NORMS
from robusteval.metrics.kmncov import kmncov
from robusteval.metrics.tknpat import tknpat
from robusteval.models._card import load_model
from robusteval.neurons._coverage import hits_of
from robusteval.neurons._ranges import ranges_of
from robusteval.records import Records, failed, read_records, write_records
from robusteval.shards import Shards
from workflow_scripts import _profile
from workflow_scripts import cover as script
from workflow_scripts._visible_rows import SHARE
from workflow_scripts.cover import cover
from workflow_scripts.score_adversarial import measure_visibility
from workflow_scripts.tabulate_behaviour import visible_rows
from workflow_scripts.tabulate_coverage import rows

SHARD = 3


@pytest.fixture
def attack_folder(tmp_path, image_folder):
    """Store images that were made of the clean ones at the budget 0.1, in shards of three."""
    clean = read_image_set(image_folder("clean", 8))
    folder = tmp_path / "adversarial" / "m" / "my_attack"
    shards = Shards(folder, "key")
    hashes = {}
    for start in range(0, 8, SHARD):
        pixels = clean.images[start : start + SHARD]
        moved = np.clip(as_tensor(pixels).numpy() + np.float32(0.1), 0, 1)
        name = f"condition_000_from_{start:06d}"
        form = {k: torch.from_numpy(np.array(a)) for k, a in coded(moved, pixels, 0.1).items()}
        shards.put(name, form)
        hashes[name] = sha256(shards.path(name))
    frame = index_of(100 + np.arange(8), np.arange(8) % 3, "linf 0.1")
    write_records(folder / "records.parquet", Records(frame, np.empty((8, 0), np.float32)))
    card = {"status": "ok", "conditions": [["linf 0.1", {"eps": 0.1}]], "shards": hashes, "n": 8}
    write_json(folder / "card.json", card)
    return folder


@pytest.fixture
def run(tmp_path, model_folder, image_folder, attack_folder):
    """Cover images of a model profiled on 12 of 20, in the order of ``sets``."""
    folder, source = model_folder("m"), image_folder("train", 20)
    clean = image_folder("clean", 8)

    def path_of(sets=("other",), count=8, own=None, **how):
        path = tmp_path / "coverage" / "m.parquet"
        cover(
            folder,
            source,
            clean,
            {
                "shift": {n: image_folder(n, 8, condition=n, severity=2, seed=1) for n in sets},
                **(own or {}),
            },
            [attack_folder],
            profile_count=12,
            profile_seed=3,
            choice={"types": ["Conv2d"]},
            count=count,
            seed=5,
            how={"sections": 7, **how},
            batch_size=64,
            code=[],
            device="cpu",
            neurons=tmp_path / "neurons" / "m",
            path=path,
        )
        return path

    return path_of


def test_each_set_has_what_it_hits_of_the_profiled_neurons(run, model_folder, image_folder):
    cell = read_records(run())
    assert cell.frame[["test", "condition", "severity", "n"]].to_numpy().tolist() == [
        ["clean", "clean", 0, 8],
        ["shift", "other", 2, 8],
        ["my_attack", "linf 0.1", 0, 8],
    ]
    model, _ = load_model(model_folder("m"))
    train = read_image_set(image_folder("train", 20)).images
    chosen = subset(np.arange(100, 120), 12, 3)
    ranges = ranges_of(model, np.asarray(train)[chosen], types=["Conv2d"])
    clean = as_tensor(read_image_set(image_folder("clean", 8)).images)
    for place, images in ((0, clean), (2, (clean + 0.1).clamp(0, 1))):
        hits = hits_of(model, images, ranges, sections=7)
        row = cell.frame.iloc[place]
        assert row["kmncov"] == kmncov(hits.sections, hits.constant)
        assert row["tknpat"] == tknpat(hits.patterns)
    (clean_row, *_) = rows({"m": cell})
    assert clean_row["neurons"] == 4 + 8 + 16 and clean_row["profile_n"] == 12


def test_fewer_images_are_the_same_of_the_clean_and_the_attacked_set(run):
    frame = read_records(run(count=5)).frame
    assert frame["n"].tolist() == [5, 5, 5]


def test_a_set_that_joins_is_the_only_one_looked_at(run, monkeypatch):
    before = read_records(run()).frame
    looked = []
    monkeypatch.setattr(_profile, "ranges_of", lambda *a, **k: pytest.fail("profiled again"))
    monkeypatch.setattr(script, "hits_of", lambda *a, **k: looked.append(1) or hits_of(*a, **k))
    frame = read_records(run(("other", "new"))).frame
    assert len(looked) == 1 and len(frame) == 4
    assert frame[frame["condition"] != "new"].to_numpy().tolist() == before.to_numpy().tolist()


def test_sets_that_stand_for_themselves_are_told_apart(run, image_folder):
    own = {"novel": {name: image_folder(name, 8) for name in ("letters", "digits")}}
    frame = read_records(run(own=own)).frame
    assert frame[frame["test"] == "novel"]["condition"].tolist() == ["letters", "digits"]
    assert frame["condition"].tolist()[:2] == ["clean", "other"]


def test_a_model_of_another_mean_is_profiled_and_looked_at_again(run, tmp_path):
    before = read_records(run())
    card = tmp_path / "models" / "m" / "card.json"
    write_json(card, read_json(card) | {"mean": [0.25]})
    after = read_records(run())
    assert after.settings["profile"]["key"] != before.settings["profile"]["key"]
    assert after.settings["profile"]["sha256"] != before.settings["profile"]["sha256"]


def test_again_the_bytes_are_the_same(run):
    first = run().read_bytes()
    path = run()
    path.unlink()
    next(iter((path.parent / "parts" / "m").iterdir())).unlink()
    assert run().read_bytes() == first


def test_damaged_ranges_are_named(run, tmp_path):
    run()
    path = tmp_path / "neurons" / "m" / "ranges.safetensors"
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(ValueError, match=r"ranges\.safetensors: differs from card\.json"):
        run()


def test_a_model_without_finite_logits_says_so(run, model_folder):
    model_folder("m", spoil=True)
    cell = read_records(run())
    assert "NaN or infinite" in cell.status and cell.frame.empty
    (row,) = rows({"m": cell})
    assert row["n"] == 0 and row["status"] == cell.status


@pytest.fixture
def attacked(attack_folder, image_folder, tmp_path):
    """An attack that succeeds on all of 8 images but the second and the fifth.

    Returns its costs, what the model says about its images, and its clean records: the first and
    the third image are wrong before.
    """
    costs = read_records(attack_folder / "records.parquet")
    frame = costs.frame.assign(**{norm: 0.5 for norm in NORMS})
    write_records(attack_folder / "records.parquet", Records(frame, costs.logits))
    said = frame[["image_id", "label", "condition", "severity"]]
    records = []
    for place, wrong in (("my_attack/m", [0, 2, 3, 5, 6, 7]), ("clean", [0, 2])):
        moved = np.isin(np.arange(8), wrong).astype(int)
        answers = said.assign(prediction=said["label"] + moved, source="m")
        records.append(Records(answers, np.empty((8, 0), np.float32), settings={"missing": {}}))
        write_records(tmp_path / f"{place}.parquet", records[-1])
    return records


@pytest.mark.parametrize("count", [2, 3, 9])
def test_as_many_successes_are_tabulated_as_are_asked_where_there_are_enough(
    attacked, attack_folder, image_folder, tmp_path, count
):
    places = [str(tmp_path / f"{name}.parquet") for name in ("my_attack/m", "clean", "out")]
    transfer, before, out = places
    clean = image_folder("clean", 8)
    measure_visibility([transfer], [attack_folder], clean, before, "m", count, out)
    found = read_records(out)
    assert found.frame["image_id"].tolist() == [103, 105, 106, 107][:count]
    tests = {"my_attack": {"conditions": {"linf 0.1": {"eps": 0.1}}}}
    (row,) = visible_rows({"m": found}, tests, {"m": attacked[1]})
    assert row["n"] == min(count, 4)
    values = found.frame["relative_l2"]
    assert row[SHARE["l2"]] == pytest.approx(values.mean(), rel=5e-4)  # four digits are printed


def test_an_attack_is_measured_by_its_own_answers_in_whatever_order_folders_come(
    attacked, attack_folder, image_folder, tmp_path
):
    """Conditions of one name are the rule: all attacks of a budget share it."""
    verdict, _ = attacked
    weak = shutil.copytree(attack_folder, tmp_path / "weak")
    held = verdict.frame.assign(prediction=verdict.frame["label"])
    write_records(
        tmp_path / "weak/m.parquet", Records(held, verdict.logits, settings=verdict.settings)
    )
    transfers = [str(tmp_path / attack / "m.parquet") for attack in ("my_attack", "weak")]
    before, out = str(tmp_path / "clean.parquet"), str(tmp_path / "out.parquet")
    images = image_folder("clean", 8)
    measure_visibility(transfers, [weak, attack_folder], images, before, "m", 9, out)
    found = read_records(out).frame
    assert found["attack"].tolist() == 4 * ["my_attack"]


def test_visibility_is_of_the_successes(attack_folder, image_folder):
    from robusteval.metrics.aldp import aldp
    from robusteval.metrics.ass import ass
    from robusteval.metrics.psd import psd
    from workflow_scripts._visibility import visibility

    costs = read_records(attack_folder / "records.parquet")
    sizes = {norm: 0.5 for norm in ("l0", "l1", "l2", "linf")}
    frame = costs.frame.assign(**sizes)
    write_records(attack_folder / "records.parquet", Records(frame, costs.logits))
    wrong = np.array([True, False, True, True, False, False, True, True])
    said = frame[["image_id", "label", "condition"]]
    said = said.assign(prediction=np.where(wrong, said["label"] + 1, said["label"]))
    verdict = Records(said, np.empty((8, 0), np.float32))
    clean = read_image_set(image_folder("clean", 8))
    parts = list(visibility(attack_folder, clean, verdict, set(range(100, 108)), 4))
    ids = [i for part in parts for i in part["image_id"]]
    assert ids == [100, 102, 103, 106]  # the first four of five successes
    before = as_tensor(clean.images).numpy()
    after = np.clip(before + np.float32(0.1), 0, 1)
    first = np.isin(100 + np.arange(8), ids)
    for column, value in (
        ("relative_l2", aldp(after, before, first, "l2")),
        ("ssim", ass(after, before, first)),
        ("psd", psd(after, before, first)),
    ):
        mean = np.mean([v for part in parts for v in part[column]])
        assert mean == pytest.approx(value, rel=1e-12)  # sums of four numbers in another order


def test_an_attack_that_failed_is_said_beside_what_is_visible(
    attack_folder, image_folder, tmp_path
):
    transfer, path = tmp_path / "my_attack/m.parquet", tmp_path / "visible.parquet"
    nothing = pd.DataFrame(columns=["image_id", "source"])
    empty = Records(nothing, np.empty((0, 0), np.float32), settings={"missing": {"m": "NaN"}})
    write_records(transfer, empty)
    before = tmp_path / "clean.parquet"
    write_records(before, failed("not asked", {}))
    clean = image_folder("clean", 8)
    measure_visibility([str(transfer)], [attack_folder], clean, str(before), "m", 4, str(path))
    cell = read_records(path)
    assert cell.frame.empty and cell.settings == {"count": 4, "failed": {"my_attack": "NaN"}}
