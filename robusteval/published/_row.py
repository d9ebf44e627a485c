"""One published number and everything that says what it is."""

import math
from dataclasses import dataclass, fields

UNITS = ("percent", "fraction", "number")
GRADES = {
    "file": "read in the published result file",
    "code": "read in the published code",
    "text": "read in the paper, its README or a thread of its authors",
    "computed": "computed from a published file",
    "secondary": "quoted by another source that is named",
    "own": "typed in by the user of this project",
}
# Shares of something: never below 0 nor above the whole.
BOUNDED = frozenset(
    {
        *("accuracy", "top5_accuracy", "error", "robust_accuracy", "success", "auroc", "fpr95"),
        *("flip_probability", "standard_accuracy", "perturbed_accuracy", "crr", "csr"),
        *("shape_bias", "ece", "aurra"),
    }
)


@dataclass(frozen=True)
class Row:
    """A published number.

    ``what`` is the quantity, ``model`` the name that its source gives the model; ``test`` and
    ``condition`` say on which images, in the ids of the catalogue; ``printed`` is the value as it
    was printed, in ``unit``; ``n`` is the number of images, None where nobody says; ``place`` is
    the file and line that it was read from.
    """

    model: str
    what: str
    test: str
    condition: str
    printed: str
    unit: str
    n: int | None
    preprocessing: str
    source: str
    licence: str
    grade: str
    note: str = ""
    place: str = ""

    @property
    def value(self) -> float:
        """Return the value in its own unit."""
        return float(self.printed)

    @property
    def scale(self) -> float:
        """Return what the value is multiplied by where shares are percentages."""
        return 100.0 if self.unit == "fraction" else 1.0

    @property
    def percent(self) -> float:
        """Return the value in percent; a number that is no share stays as it is."""
        return self.value * self.scale

    @property
    def scale_of_share(self) -> float:
        """Return what a share in [0, 1] is multiplied by to be as ``percent`` is."""
        return 1.0 if self.unit == "number" else 100.0

    @property
    def half_digit(self) -> float:
        """Return half of the last printed digit, in percent: what rounding can have taken."""
        text = self.printed.lower().partition("e")
        decimals = len(text[0].partition(".")[2]) - int(text[2] or 0)
        return 0.5 * math.pow(10, -decimals) * self.scale

    @property
    def rounding(self) -> float:
        """Return what rounding took at most, in percent; 0 where n images need no more digits.

        Shares of 5,000 images are multiples of 0.0002, so that four decimals hold them exactly.
        """
        steps = round(50 / self.half_digit) if self.half_digit < 50 else 1
        return 0.0 if self.n and steps % self.n == 0 else self.half_digit

    @property
    def key(self) -> tuple[str, ...]:
        """Return what no two rows of a table share."""
        said = (self.model, self.what, self.test, self.condition)
        return (*said, self.preprocessing, self.source)


COLUMNS = tuple("value" if f.name == "printed" else f.name for f in fields(Row))[:-2]
"""The columns of a table of published numbers; ``note`` may follow."""


@dataclass(frozen=True)
class About:
    """What a published result file does not say of itself.

    ``test`` is the catalogue's id of its images; the rest is as in a row. A format that holds
    several tests or quantities uses its own words where they are empty here.
    """

    source: str
    licence: str
    grade: str = "file"
    test: str = ""
    what: str = "accuracy"
    unit: str = "percent"
    n: int | None = None
    preprocessing: str = ""
    note: str = ""

    def row(self, model: str, printed: str, place: str, **said: str | int | None) -> Row:
        """Return the row of one value of the file; ``said`` is what the file does say."""
        known = {f.name: getattr(self, f.name) for f in fields(self)}
        return Row(**{"condition": "", **known, **said}, model=model, printed=printed, place=place)
