"""Entries of the catalogue for searches in a generator's latent space, held to each other."""

from pathlib import Path

from workflow_scripts._parameters import files, fits
from workflow_scripts._schema import Mapping, StudyError, definition, enough, known, validate


def check_generator(
    name: str, entry: Mapping, catalogue: Mapping, library: Path, where: str
) -> None:
    """Check a generator: its builder, its arguments, and the images that it is trained on."""
    builder, folder = entry["builder"], library / "generators"
    known(where, f"{name}.builder", [builder], files(folder))
    if "training" not in entry:
        return  # its weights say the rest
    fits(where, f"{name}.arguments", entry["arguments"], folder, builder)
    training = entry["training"]
    shown = [i for i, e in catalogue["images"].items() if "classes" in e]
    known(where, f"{name}.images", [training["images"]], shown)
    exist = catalogue["images"][training["images"]].get("count")
    if exist is not None:
        enough(f"{where}: {name}.count", training["count"], exist)
    if training["batch_size"] > training["count"]:
        raise StudyError(
            f"{where}: {name}.batch_size: {training['batch_size']}: at most the number of "
            f"training images, {training['count']}, expected"
        )


def check_searched(
    name: str, entry: Mapping, catalogue: Mapping, library: Path, where: str
) -> None:
    """Check a search: what it goes through, and the settings of each of its conditions."""
    known(where, f"{name}.generator", [entry["generator"]], catalogue["generators"])
    oracles = [entry[key] for key in ("oracle", "judges") if key in entry]
    known(where, f"{name}.oracle", oracles, catalogue["oracles"])
    known(
        where, f"{name}.images", [entry["images"]] if "images" in entry else [], catalogue["images"]
    )
    before: list[str] = []
    for condition, values in entry["conditions"].items():
        place = f"{name}.{condition}"
        validate(values, definition(library.parent / "config", "condition"), f"{where}: {place}")
        if "sparse" in values:
            known(where, f"{place}.sparse.of", [values["sparse"]["of"]], before)
        own = {k: v for k, v in values.items() if k not in ("sparse", "oracle")}
        fits(where, place, own, library / "search", "latent_search")
        steps, step = library / "search" / "steps", values.get("step", "sign")
        known(where, f"{place}.step", [step], files(steps))
        fits(where, f"{place}.settings", values.get("settings", {}), steps, step)
        before.append(condition)
