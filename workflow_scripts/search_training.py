"""Search images, against another model, that a model is to be trained on beside its own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robusteval.files import read_json
from robusteval.oracles._checks import check_apart
from robusteval.records import OK, read_records
from workflow_scripts._fmr import part
from workflow_scripts.search import search


def search_training(
    against: Path,
    source: Path,
    generator: Path,
    oracle: Mapping[str, Any],
    members: Mapping[str, Path],
    test: Mapping[str, Any],
    recipe: Mapping[str, Any],
    *,
    seed: int,
    code: list[str],
    device: str,
    folder: Path,
) -> None:
    """Write the images that the ``recipe``'s search of a ``test`` against a model ends with.

    Searched are the first ``recipe["count"]`` of the training images that ``seed`` draws from
    ``source``, so they are among those of the model that is to be trained by the same seed.

    Raises:
        ValueError: a member of the oracle has the weights of the searched model, this cannot be
            searched, or the oracle accepts no round trip.
    """
    hashes = {name: _weights(member) for name, member in members.items()}
    check_apart(hashes, against.name, _weights(against))
    own = recipe["condition"]
    needed = needed_by(own, test["conditions"])
    conditions = {c: v for c, v in test["conditions"].items() if c in needed}
    search(
        against,
        source,
        generator,
        oracle,
        None,
        members,
        recipe["test"],
        conditions,
        adapter=test.get("adapter"),
        count=recipe["count"],
        seed=seed,
        batch_size=64,
        code=code,
        device=device,
        folder=folder,
    )
    found = read_records(folder / "records.parquet")
    if found.status != OK:
        raise ValueError(f"{folder}: {against.name} cannot be searched: {found.status}")
    if not part(found.frame, own)["valid"].any():
        raise ValueError(
            f"{folder}: the oracle {test['oracle']} accepts none of {recipe['count']} round trips "
            f"of the generator {test['generator']}: name a better one of either"
        )


def needed_by(condition: str | None, conditions: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return a condition and those that masks of sparse ones are fitted to, one by the other."""
    found = []
    while condition is not None:
        found.append(condition)
        condition = conditions[condition].get("sparse", {}).get("of")
    return found


def _weights(model: Path) -> str:
    """Return the hash of a model's weights."""
    return str(read_json(model / "card.json")["weights_sha256"])


if __name__ == "__main__":
    from workflow_scripts._job import device, job

    with job(snakemake), device(snakemake.threads) as where:
        search_training(
            Path(snakemake.input.against).parent,
            Path(snakemake.input.images).parent,
            Path(snakemake.input.generator).parent,
            snakemake.params.oracle,
            {Path(card).parent.name: Path(card).parent for card in snakemake.input.members},
            snakemake.params.test,
            snakemake.params.recipe,
            seed=snakemake.params.seed,
            code=[*snakemake.input.steps, *snakemake.input.builder, *snakemake.input.code],
            device=where,
            folder=Path(snakemake.output.card).parent,
        )
