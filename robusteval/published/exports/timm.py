"""A result table in the columns of pytorch-image-models' results-*.csv."""

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass

COLUMNS = (
    *("model", "img_size", "top1", "top1_err", "top5", "top5_err"),
    *("param_count", "crop_pct", "interpolation"),
)


@dataclass(frozen=True)
class Result:
    """A model on one image set: accuracies in [0, 1], weights in number, view as it was used."""

    model: str
    img_size: int
    top1: float
    top5: float
    param_count: int
    crop_pct: float
    interpolation: str


def timm(results: Iterable[Result]) -> str:
    """Return the CSV text of results, the best first, in percent with three decimals."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for r in sorted(results, key=lambda r: (-r.top1, -r.top5, r.model)):
        shares = (r.top1, 1 - r.top1, r.top5, 1 - r.top5)
        percents = [f"{100 * share:.3f}" for share in shares]
        view = f"{r.param_count / 1e6:.2f}", f"{r.crop_pct:.3f}", r.interpolation
        writer.writerow([r.model, r.img_size, *percents, *view])
    return text.getvalue()
