"""The table of oracles: how good each is beside the models that it judges."""

import numpy as np
import pandas as pd
import pytest

from robusteval.records import Records
from workflow_scripts._searching import ORIGINAL, ROUND_TRIP
from workflow_scripts.tabulate_fmr import oracle_rows

ABOUT = {
    "oracle": "zoo", "judged_by": "stand-in", "generator": "g", "adapter": None,
    "latent_rms": 1.5, "members": {"wide": "hash", "wider": "hash"},
    "models": {"small": 0.5, "robust": 0.25},
    "seen": {"wide": 600, "wider": 500, "outside_judge": 600, "small": 100, "robust": 80},
}  # fmt: skip


def check(**settings):
    """Return what an oracle said of four originals, three of them right, and of two round trips."""
    frame = pd.DataFrame(
        {
            "condition": [ORIGINAL] * 4 + [ROUND_TRIP] * 2,
            "accepted": [True, True, True, False, True, False],
        }
    )
    return Records(frame, np.zeros((6, 2), np.float32), settings=ABOUT | settings)


def test_an_oracle_stands_beside_the_best_of_the_models_that_it_judges():
    (row,) = oracle_rows({"searched": check()})
    assert (row["n"], row["round_trips_n"]) == (4, 2)
    assert row["accuracy_pct_higher_better"] == 75
    assert row["agreement_on_round_trips_pct_higher_better"] == 50
    assert (row["best_model"], row["best_model_accuracy_pct"]) == ("small", 50)
    assert row["margin_points"] == 25


def test_images_that_judges_of_the_oracle_have_seen_are_not_those_of_models():
    (row,) = oracle_rows({"searched": check()})
    assert row["training_images_of_oracle"] == 500  # of the member that has seen the least
    assert row["training_images_of_models_at_most"] == 100


@pytest.mark.parametrize("settings", [{"models": {}}, {"seen": {}}])
def test_what_nobody_knows_is_empty(settings):
    (row,) = oracle_rows({"searched": check(**settings)})
    assert row["training_images_of_models_at_most"] is None
