"""What the attacks of a condition want: any wrong class, or a certain one."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

UNTARGETED = "untargeted"


def goals_of(conditions: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, str]:
    """Return, by condition, how its settings choose the target: random, ... or "untargeted"."""
    return {condition: str(values.get("target") or UNTARGETED) for condition, values in conditions}


def targets_of(frame: pd.DataFrame) -> NDArray[np.int64]:
    """Return the class (N,) that each image was to reach, -1 where any wrong one would do."""
    if "target" not in frame:
        return np.full(len(frame), -1, np.int64)
    return frame["target"].to_numpy(np.int64)


def reached(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Return for which rows (N,) the ``prediction`` is what the attack wanted."""
    prediction, target = frame["prediction"].to_numpy(), targets_of(frame)
    wrong = prediction != frame["label"].to_numpy()
    return np.where(target < 0, wrong, prediction == target)
