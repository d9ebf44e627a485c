"""A model that cannot be measured fails its own cells, with a reason, and nobody else's."""

import json

import pandas as pd
import pytest

ELEVEN = '''"""A network with one class too many."""

from torch import nn


def eleven(*, classes, shape):
    return nn.Sequential(nn.Flatten(), nn.Linear(shape[0] * shape[1] * shape[2], classes + 1))
'''

MODELS = """
eleven:
  builder: eleven
  arguments: {}
  training: *tiny
diverged:
  builder: cnn
  arguments: {width: 4}
  training: {<<: *tiny, learning_rate: 1.0e+30}
"""


@pytest.fixture(scope="module")
def broken(fresh):
    (fresh.folder / "robusteval/models/eleven.py").write_text(ELEVEN)
    fresh.add_models(MODELS)
    fresh.write_study(
        "broken",
        models=["cnn_tiny", "eleven", "diverged"],
        baseline="diverged",
        tests=["clean", "novel", "mnist_c", "fgsm"],
    )
    fresh.run(study="broken")
    return fresh


SCORED = ["dar", "dar_by_score", "dar_sensitivity", "dar_curve", "kind_ranks", "detection"]
SCORED += ["detection_full_spectrum", "detection_groups", "calibration", "selective"]
REASONS = {"eleven": "shape (256, 11) for 256 images", "diverged": "NaN or infinite logits"}


@pytest.mark.parametrize("model", REASONS)
def test_the_tables_say_why(broken, model):
    for name in ("accuracy", "accuracy_by_test", "corruption_error", *SCORED):
        frame = pd.read_csv(broken.folder / f"results/broken/tables/{name}.csv")
        rows = frame[frame["model"] == model]
        values = [c for c in frame if c.endswith("better")]
        assert len(rows) and len(values) and rows[values].isna().all(axis=None), name
        if name == "accuracy":
            clean = rows[rows["test"] == "clean"]["status"].item()
            assert REASONS[model] in clean


def test_the_others_are_whole(broken):
    accuracy = pd.read_csv(broken.folder / "results/broken/tables/accuracy.csv")
    whole = accuracy[accuracy["model"] == "cnn_tiny"]
    assert (whole["status"] == "ok").all() and len(whole) == 1 + 15 + 3


def test_without_its_baseline_a_model_has_a_mean_error_but_no_mce(broken):
    frame = pd.read_csv(broken.folder / "results/broken/tables/mean_corruption_error.csv")
    row = frame.set_index(["model", "part"]).loc[("cnn_tiny", "fifteen")]
    assert row["mean_error_pct_lower_better"] > 0
    assert pd.isna(row["mce_pct_lower_better"])
    assert row["status"].startswith("baseline diverged: the model returned NaN")
    assert (broken.folder / "results/broken/report.html").is_file()


def test_the_transfer_matrix_has_gaps_not_zeros(broken):
    transfer = pd.read_csv(broken.folder / "results/broken/tables/transfer.csv")
    assert len(transfer) == 3 * 3 * 3 * 2  # conditions, sources, targets, populations
    ok = transfer["status"] == "ok"
    assert (transfer[ok][["source", "target"]] == "cnn_tiny").all(axis=None) and ok.sum() == 6
    assert transfer[~ok]["rate_pct_higher_transfers_more"].isna().all()


def test_the_card_says_that_it_could_not_be_measured(broken):
    card = json.loads((broken.folder / "results/models/diverged/card.json").read_text())
    assert card["clean"]["accuracy"] is None and "NaN" in card["clean"]["error"]
