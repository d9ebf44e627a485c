"""Write a BibTeX file of what a study used, from the citations in the catalogue."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from robusteval.files import replacing
from robusteval.published.exports.bibtex import bibtex
from workflow_scripts._schema import load_yaml

Catalogue = Mapping[str, Mapping[str, Mapping[str, Any]]]


def cited(catalogue: Catalogue, used: Mapping[str, Iterable[str]]) -> Iterator[tuple[str, str]]:
    """Yield ("images imagenet_v2", its citation) for the entries that are ``used``, by part.

    Entries without a citation are left out; one with several is yielded once for each.
    """
    for part, names in used.items():
        for name in names:
            citations = catalogue[part].get(name, {}).get("cite", [])
            for citation in [citations] if isinstance(citations, str) else citations:
                yield f"{part} {name}", citation


def export_bibtex(
    catalogue: Catalogue, used: Mapping[str, Iterable[str]], metrics: str, output: str
) -> None:
    """Write the citations of the entries of the ``catalogue`` that are ``used``.

    The file ``metrics`` is the part "metrics" of the catalogue, the quantities in a study's tables.
    """
    whole = {**catalogue, "metrics": load_yaml(Path(metrics))}
    with replacing(output) as temporary:
        temporary.write_text(bibtex(cited(whole, used)))


if __name__ == "__main__":
    from workflow_scripts._job import job

    with job(snakemake):
        export_bibtex(
            snakemake.params.catalogue,
            snakemake.params.used,
            snakemake.input.metrics,
            snakemake.output.file,
        )
