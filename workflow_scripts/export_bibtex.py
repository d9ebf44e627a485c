"""Write a BibTeX file of what a study used, from the citations in the catalogue."""

from collections.abc import Iterable, Mapping
from typing import Any

from robusteval.files import replacing
from robusteval.published.exports.bibtex import bibtex

Catalogue = Mapping[str, Mapping[str, Mapping[str, Any]]]


def cited(catalogue: Catalogue, used: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return {"images imagenet_v2": its citation} of the entries that are ``used``, by part.

    Entries without a citation are left out.
    """
    return {
        f"{part} {name}": str(catalogue[part][name]["cite"])
        for part, names in used.items()
        for name in names
        if "cite" in catalogue[part][name]
    }


def export_bibtex(catalogue: Catalogue, used: Mapping[str, Iterable[str]], output: str) -> None:
    """Write the citations of the entries of the ``catalogue`` that are ``used``."""
    with replacing(output) as temporary:
        temporary.write_text(bibtex(cited(catalogue, used)))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        export_bibtex(snakemake.params.catalogue, snakemake.params.used, snakemake.output.file)
