"""How often each attack setting succeeds on each model."""

import pandas as pd
from matplotlib.figure import Figure

from robusteval.figures._frames import check_frame, order, wide
from robusteval.figures._settings import draw_settings, setting
from robusteval.figures._style import house

VALUE = "success_pct_of_attacked_higher_stronger_attack"
ATTACKED = "attacked_source_correct"


@house
def success_by_attack(frame: pd.DataFrame) -> Figure:
    """Return a matrix of success rates, models x attack settings, for each goal of the attacks.

    ``frame`` has one row for each ``attack``, ``condition``, ``goal`` and ``model``, with
    ``attacked_source_correct``, ``success_pct_of_attacked_higher_stronger_attack`` and ``status``.
    Goals are "untargeted" or the kind of target.

    Raises:
        ValueError: a column is missing, there are no rows, or a cell stands there twice.
    """
    key = ["attack", "condition", "goal", "model"]
    check_frame(frame, [*key, ATTACKED, VALUE, "status"], key)
    models = order(frame, "model")
    names = [setting(*k) for k in frame[key[:3]].itertuples(index=False, name=None)]
    named = frame.assign(setting=names)
    tables = []
    for goal, rows in named.groupby("goal", sort=False):
        table = wide(rows, VALUE, rows="model", columns="setting", row_order=models)
        tables.append((str(goal) if goal == "untargeted" else f"target: {goal}", table))
    n = frame.loc[frame["status"] == "ok", ATTACKED]
    images = "n/a" if n.empty else f"n = {int(n.min()):,} to {int(n.max()):,}"
    label = f"success of the attack, %\n({images}; higher is stronger)"
    return draw_settings(tables, label, xlabel="attack and condition", ylabel="model")
