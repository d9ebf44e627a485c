"""A BibTeX file of what was used, from one-line citations."""

import re
import string
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

CITE = re.compile(r"(?P<authors>.+?) (?P<year>\d{4}), (?P<rest>.+)")
ARXIV = re.compile(r"arXiv[ :]?(?P<id>\d{4}\.\d{4,5})")
FORM = "Recht et al. 2019, Do ImageNet Classifiers Generalize to ImageNet?; ICML; arXiv 1902.10811"


def bibtex(cited: Iterable[tuple[str, str]]) -> str:
    """Return the BibTeX text of ``cited``, pairs of an item and a citation; one entry a citation.

    A citation is authors and year, then a title, a venue and an arXiv number with semicolons
    between them, of which only one is needed: "Recht et al. 2019, arXiv 1902.10811". A remark above
    each entry says which items it is cited for.

    Raises:
        ValueError: a citation is not of that form.
    """
    uses: defaultdict[str, list[str]] = defaultdict(list)
    for item, citation in cited:
        uses[citation].append(item)
    keys = _keys(uses)
    return "\n".join(_entry(keys[c], c, items) for c, items in uses.items())


def _entry(key: str, citation: str, items: list[str]) -> str:
    authors, year, rest = _parts(citation, items[0])
    people = re.sub(r",? et al\.?", " and others", authors).replace(" & ", " and ")
    fields = {"author": people.replace(", ", " and "), "year": year}
    if arxiv := ARXIV.search(rest):
        fields |= {"eprint": arxiv["id"], "archiveprefix": "arXiv"}
        rest = ARXIV.sub("", rest).strip(" ,;()")
    title, _, venue = rest.partition("; ")
    if title:
        fields["title"] = f"{{{title}}}"
    if venue:
        fields["howpublished"] = venue
    lines = [f"  {name} = {{{_plain(value)}}}," for name, value in fields.items()]
    return "\n".join([f"% {', '.join(items)}", f"@misc{{{key},", *lines, "}", ""])


def _plain(text: str) -> str:
    """Return a text without what BibTeX would read as a command or a remark."""
    return re.sub(r"(?<!\\)([&%#_$])", r"\\\1", text)


def _keys(uses: Mapping[str, list[str]]) -> dict[str, str]:
    """Return a key for each citation, as recht2019; where two would be the same, a and b follow."""
    stems = {}
    for citation, items in uses.items():
        authors, year, _ = _parts(citation, items[0])
        stems[citation] = re.sub(r"[^a-z]", "", authors.split()[0].lower()) + year
    shared, given = Counter(stems.values()), Counter[str]()
    keys = {}
    for citation, stem in stems.items():
        letter = string.ascii_lowercase[given[stem]] if shared[stem] > 1 else ""
        keys[citation], given[stem] = stem + letter, given[stem] + 1
    return keys


def _parts(citation: str, item: str) -> tuple[str, str, str]:
    match = CITE.fullmatch(citation.strip())
    if match is None:
        raise ValueError(f"{item}: cite {citation!r}; a citation as {FORM!r} expected")
    return match["authors"], match["year"], match["rest"]
