"""Which images a rate is over; every one that is attacked is a candidate."""

from collections.abc import Mapping

from robusteval.records import OK, Records
from workflow_scripts._tables import right_images

SOURCE = "source right before"
BOTH = "source and target right before"
COMMON = "all models right before"


def common_images(clean: Mapping[str, Records]) -> tuple[set[int], str]:
    """Return the ids of the images that every model gets right, and "ok".

    If a model has no clean answers, nobody knows: no ids, and which model and why.
    """
    for model, records in clean.items():
        if records.status != OK:
            return set(), f"{model}: {records.status}"
    sets = [right_images(records) for records in clean.values()]
    return set.intersection(*sets) if sets else set(), OK
