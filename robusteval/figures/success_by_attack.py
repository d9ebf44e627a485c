"""How often each attack setting succeeds on each model."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from robusteval.figures._frames import check_frame, order, wide
from robusteval.figures._settings import draw_settings, setting
from robusteval.figures._style import house

VALUE = "success_pct_of_attacked_higher_stronger_attack"
ATTACKED = "attacked_source_correct"
IN_ONE = 24  # settings that fit beside each other


@house
def success_by_attack(frame: pd.DataFrame) -> Figure:
    """Return a matrix of success rates, models x attack settings; of many, one for each goal.

    ``frame`` has one row for each ``attack``, ``condition``, ``goal`` and ``model``, with
    ``attacked_source_correct``, ``success_pct_of_attacked_higher_stronger_attack`` and ``status``.
    Goals are "untargeted" or the kind of target.

    Raises:
        ValueError: a column is missing, there are no rows, or a cell stands there twice.
    """
    key = ["attack", "condition", "goal", "model"]
    check_frame(frame, [*key, ATTACKED, VALUE, "status"], key)
    models = order(frame, "model")
    settings = list(frame[key[:3]].itertuples(index=False, name=None))
    few = len(set(settings)) <= IN_ONE
    named = frame.assign(setting=[(_with_goal if few else setting)(*one) for one in settings])
    tables = []
    goals = [("", named)] if few else named.groupby("goal", sort=False)
    for goal, rows in goals:
        table = wide(rows, VALUE, rows="model", columns="setting", row_order=models)
        title = f"target: {goal}" if goal not in ("", "untargeted") else str(goal)
        tables.append((title, table))
    n = frame.loc[frame["status"] == "ok", ATTACKED]
    images = "n/a" if n.empty else f"n = {int(n.min()):,} to {int(n.max()):,}"
    label = f"success of the attack, %\n({images}; higher is stronger)"
    return draw_settings(tables, label, xlabel="attack and condition", ylabel="model")


def _with_goal(attack: Any, condition: Any, goal: Any) -> str:
    """Return the name of a setting, with what it aims at where condition and id do not say it."""
    name = setting(attack, condition)
    said = str(goal).replace("_", " ") in name.replace("_", " ").replace("-", " ")
    return name if goal == "untargeted" or said else f"{name}, {goal} target"
