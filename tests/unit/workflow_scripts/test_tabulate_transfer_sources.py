import pandas as pd
import pytest

from workflow_scripts.tabulate_transfer import BOTH, TOP, VALUE
from workflow_scripts.tabulate_transfer_sources import (
    COLUMNS,
    MEAN,
    rows,
    tabulate_transfer_sources,
)

MODELS = ["vgg16", "vgg19", "resnet50"]
FAMILIES = {"vgg16": "vgg", "vgg19": "vgg", "resnet50": "resnet"}
RATES = [[100.0, 60.0, 20.0], [80.0, 100.0, 40.0], [10.0, 30.0, 100.0]]


@pytest.fixture
def transfer():
    """Make a transfer table, in which the target comes first."""
    found = []
    for j, target in enumerate(MODELS):
        for i, source in enumerate(MODELS):
            row = {"attack": "fgsm", "condition": "linf 0.1", "goal": "untargeted"}
            row |= {"population": BOTH, "source": source, "target": target, "n": 50}
            row |= {VALUE: RATES[i][j], TOP[1]: None, TOP[5]: None, "status": "ok"}
            found.append(row)
    return pd.DataFrame(found).astype({TOP[1]: float, TOP[5]: float})


def means(found):
    return {(r["source"], r["targets"]): (r["n"], r.get(MEAN)) for r in found}


def test_rows_without_the_diagonal(transfer):
    found = list(rows(transfer, FAMILIES))
    assert means(found) == {
        ("vgg16", "all other models"): (2, 40.0),
        ("vgg16", "the source's family"): (1, 60.0),
        ("vgg16", "other families"): (1, 20.0),
        ("vgg19", "all other models"): (2, 60.0),
        ("vgg19", "the source's family"): (1, 80.0),
        ("vgg19", "other families"): (1, 40.0),
        ("resnet50", "all other models"): (2, 20.0),
        ("resnet50", "other families"): (2, 20.0),
    }
    assert {(r["rate"], r["status"]) for r in found} == {("wrong", "ok")}


def test_a_gap_leaves_no_mean_and_is_named(transfer):
    gap = (transfer["source"] == "vgg16") & (transfer["target"] == "resnet50")
    transfer.loc[gap, ["status", VALUE]] = ["target resnet50: NaN", None]
    empty = (transfer["source"] == "vgg19") & (transfer["target"] == "resnet50")
    transfer.loc[empty, ["n", VALUE]] = [0, None]
    found = {(r["source"], r["targets"]): r["status"] for r in rows(transfer, FAMILIES)}
    assert found["vgg16", "all other models"] == "target resnet50: NaN"
    assert found["vgg16", "the source's family"] == "ok"
    assert found["vgg19", "other families"] == "no image for the target resnet50"


def test_a_model_without_a_family_is_a_stranger_to_all(transfer):
    found = means(rows(transfer, {"vgg16": "vgg", "vgg19": "vgg"}))
    assert ("resnet50", "other families") not in found
    assert found["vgg16", "other families"] == (1, 20.0)
    assert set(means(rows(transfer, {}))) == {(m, "all other models") for m in MODELS}


def test_targeted_rates_have_rows_of_their_own(transfer, tmp_path):
    transfer[TOP[1]], transfer[TOP[5]] = transfer[VALUE] / 10, transfer[VALUE] / 2
    transfer.to_csv(tmp_path / "transfer.csv", index=False)
    path = tmp_path / "transfer_sources.csv"
    tabulate_transfer_sources(str(tmp_path / "transfer.csv"), FAMILIES, str(path))
    table = pd.read_csv(path)
    assert list(table) == COLUMNS
    others = table[table["targets"] == "all other models"].pivot(
        index="source", columns="rate", values=MEAN
    )
    assert others.loc["vgg19"].to_dict() == {
        "wrong": 60.0,
        "target in top 1": 6.0,
        "target in top 5": 30.0,
    }


def test_one_model_has_no_others(transfer):
    assert list(rows(transfer[:1], FAMILIES)) == []
