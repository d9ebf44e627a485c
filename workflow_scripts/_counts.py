"""How many images a test takes: as many as its kind, or a number of its own."""

from collections.abc import Iterator

from workflow_scripts._schema import Mapping, StudyError, enough, known

KINDS = (
    "clean",
    "corrupt",
    "perturbed",
    "shifted",
    "adversarial",
    "novel",
    "unrecognisable",
    "probe",
    "searched",
)
DEAR = ("adversarial", "probe", "searched")  # their tests may cost very different times an image
OF_SETS = ("novel", "shifted")  # kinds whose image sets are of very different sizes


def count_of(test: str, study: Mapping, catalogue: Mapping) -> int:
    """Return the number of images of a test: its own, or that of its kind."""
    counts = study["counts"]
    return int(counts.get(test, counts[catalogue["tests"][test]["kind"]]))


def count_of_set(images: str, test: str, study: Mapping, catalogue: Mapping) -> int:
    """Return the number of images of a set of a novel or shifted test: its own, or the test's."""
    return int(study["counts"].get(images, count_of(test, study, catalogue)))


def check_counts(study: Mapping, catalogue: Mapping, name: str) -> None:
    """Check that as many images exist as each test of a study asks for.

    Raises:
        StudyError: a number is missing, of nothing there is, or more than there are.
    """
    counts, tests = study["counts"], {test: catalogue["tests"][test] for test in study["tests"]}
    own = dict.fromkeys(_own(catalogue["tests"]))
    known(name, "counts", counts, [*KINDS, *own])
    exist = catalogue["images"][study["images"]].get("count")
    for test, entry in tests.items():
        kind = entry["kind"]
        if kind not in counts:
            raise StudyError(f"{name}: counts: {kind} is missing; the test {test} needs it")
        asked = [(test, count_of(test, study, catalogue), exist)]
        if kind in OF_SETS:
            asked = [
                (s, count_of_set(s, test, study, catalogue), catalogue["images"][s].get("count"))
                for s in entry["sets"]
            ]
        elif "images" in entry:  # a search may be tried on others than the study's
            asked = [(test, asked[0][1], catalogue["images"][entry["images"]].get("count"))]
        for item, count, available in asked:
            if available is not None:  # else the job that lists the folder will say so
                key = next(key for key in (item, test, kind) if key in counts)
                enough(f"{name}: counts: {key}", count, available)
    clean = counts["clean"]
    elsewhere = [test for test, entry in tests.items() if "images" in entry]
    dear = [test for test, entry in tests.items() if entry["kind"] in DEAR]
    kinds = ("corrupt", "adversarial", "perturbed", "probe", "searched", *dear)
    for kind in (kind for kind in kinds if kind not in elsewhere):
        if (count := counts.get(kind, 0)) > clean:
            raise StudyError(
                f"{name}: counts: {kind}: {count} images asked; at most the {clean} of the clean "
                f"test, which says what a model makes of the same images undisturbed"
            )


def _own(tests: Mapping) -> Iterator[str]:
    """Yield the tests, and the image sets of tests, that may have a number of their own."""
    for test, entry in tests.items():
        if entry["kind"] in (*DEAR, *OF_SETS):
            yield test
        if entry["kind"] in OF_SETS:
            yield from entry["sets"]
