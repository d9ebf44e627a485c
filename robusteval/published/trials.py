"""Trials: what one subject, a person or a network, said about one shown image."""

import csv
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from robusteval.published.formats._cells import lines_of

NEEDED = ("subj", "object_response", "category", "condition", "imagename")
COLUMNS = ("subj", "session", "trial", "rt", *NEEDED[1:])
PEOPLE = "subject-"  # how the names of persons begin


@dataclass(frozen=True)
class Trial:
    """A response to an image whose class is ``category``; ``image`` is its file's name."""

    subject: str
    image: str
    condition: str
    category: str
    response: str

    @property
    def right(self) -> bool:
        """Return whether the response names the class; one that is "na" or late does not."""
        return self.response == self.category

    @property
    def shown(self) -> tuple[str, str]:
        """Return what all subjects saw alike, photograph and condition.

        File names begin with trial, experiment and subject, and end with the photograph, as
        "0001_cl_s01_bw_boat_40_n02951358_5952.JPEG" does.
        """
        parts = self.image.split("_")
        first = -2 if len(parts) > 1 and parts[-2].startswith("n0") else -1
        return "_".join(parts[first:]), self.condition

    @property
    def texture(self) -> str:
        """Return the class of the texture where shape and texture disagree, "" where none is said.

        Such files end with shape and texture, each with a number: "airplane1-bicycle2.png".
        """
        shape, _, texture = self.image.rpartition("_")[2].partition(".")[0].partition("-")
        return texture.rstrip("0123456789") if shape and texture else ""


def read_trials(path: str | Path) -> list[Trial]:
    """Return the trials in a CSV file of model-vs-human, a line each.

    Raises:
        ValueError: a column is missing.
    """
    names = ("subj", "imagename", "condition", "category", "object_response")
    return [Trial(*(cells[name] for name in names)) for _, cells in lines_of(path, NEEDED)]


def write_trials(path: str | Path, trials: Iterable[Trial]) -> None:
    """Write trials as model-vs-human has them: one session, numbered from 1, without times."""
    with Path(path).open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for number, t in enumerate(trials, 1):
            said = t.response, t.category, t.condition, t.image
            writer.writerow([t.subject, 1, number, "NaN", *said])


def by_subject(trials: Iterable[Trial]) -> dict[str, list[Trial]]:
    """Return trials by subject, in the order of their first one."""
    found: defaultdict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        found[trial.subject].append(trial)
    return dict(found)


def accuracy(trials: Sequence[Trial]) -> float:
    """Return the share of trials whose response names the class."""
    return sum(t.right for t in trials) / len(trials)


def shape_bias(trials: Iterable[Trial]) -> float:
    """Return the share of shape among the responses that name shape or texture.

    Images whose shape and texture are of one class say nothing and are left out; the trials of
    several subjects are pooled. Source: Geirhos et al. 2019, arXiv 1811.12231.

    Raises:
        ValueError: no response names either.
    """
    apart = [t for t in trials if t.texture and t.texture != t.category]
    shape = sum(t.right for t in apart)
    texture = sum(t.response == t.texture for t in apart)
    if not shape + texture:
        raise ValueError(f"{len(apart)} trials with two cues: none of the responses names either")
    return shape / (shape + texture)
