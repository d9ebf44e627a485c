"""Rows of how visible an attack's successes are."""

from typing import Any

import numpy as np
import pandas as pd

from robusteval.metrics.distortion import NORMS
from robusteval.metrics.sensitivity_distance import FLOOR
from robusteval.records import OK
from workflow_scripts._spread import HIGH, LOW, mean_with_interval, significant

SHARE = {norm: f"ald_{norm}_of_image_higher_more_visible" for norm in NORMS}
RAW = {norm: f"ald_{norm}_raw_scale_0_1_higher_more_visible" for norm in NORMS}
ASS, PSD = "ass_lower_more_visible", "psd_higher_more_visible"
NO_SUCCESS = "no success"  # the status of a condition whose images all withstood
COLUMNS = ["model", "attack", "condition", "goal", "n", "black_images_left_out"]
COLUMNS += [*SHARE.values(), f"ald_l2_{LOW}", f"ald_l2_{HIGH}", *RAW.values()]
COLUMNS += [ASS, f"ass_{LOW}", f"ass_{HIGH}", PSD, f"psd_{LOW}", f"psd_{HIGH}"]
COLUMNS += ["psd_floor_of_the_deviation", "status"]

Row = dict[str, Any]


def visible_row(row: Row, part: pd.DataFrame) -> Row:
    """Return the means over the successes ``part`` of one condition; n is 0 if there is none.

    A black image has no size to divide by and is left out of the normalised distances.
    """
    if part.empty:
        return {**row, "n": 0, "black_images_left_out": 0, "status": NO_SUCCESS}
    sized = part[np.isfinite(part["relative_l2"])]
    found: Row = {"n": len(part), "black_images_left_out": len(part) - len(sized)}
    key = [str(value) for value in row.values()]
    for norm in NORMS:
        if len(sized):
            found[SHARE[norm]] = significant(float(sized[f"relative_{norm}"].mean()))
        found[RAW[norm]] = significant(float(part[norm].mean()))
    for name, column, values in (
        ("ald_l2", SHARE["l2"], sized["relative_l2"]),
        ("ass", ASS, part["ssim"]),
        ("psd", PSD, part["psd"]),
    ):
        spread = mean_with_interval(values.to_numpy(np.float64), column, *key)
        found |= {c if c == column else f"{name}_{c}": v for c, v in spread.items()}
    found["psd_floor_of_the_deviation"] = significant(FLOOR)
    return {**row, **found, "status": OK}
